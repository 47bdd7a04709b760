export default {
    testEnvironment: "node",
    transform: {},
    globalSetup: "lectern-client/testing/global-setup",
    globalTeardown: "lectern-client/testing/global-teardown",
};
