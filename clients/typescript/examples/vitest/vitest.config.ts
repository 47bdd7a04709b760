import { defineConfig } from "vitest/config";

export default defineConfig({
    test: { globalSetup: ["lectern-client/testing/global-setup"] },
});
