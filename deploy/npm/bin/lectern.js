#!/usr/bin/env node
// Starts Lectern on this machine: runs the start script in the package of this platform, and hands on its signals and
// its exit code.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { dirname, join } = require("node:path");

const platform = `lectern-${process.platform}-${process.arch}`;
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];

function applicationFolder() {
    try {
        return join(dirname(require.resolve(`${platform}/package.json`)), "app");
    } catch {
        console.error(`lectern: the package ${platform} is not installed. There are packages for Linux with glibc.`);
        console.error("To build Lectern for this machine, see https://github.com/lectern-lms/lectern");
        process.exit(1);
    }
}

const script = spawn("/bin/sh", [join(applicationFolder(), "lectern"), ...process.argv.slice(2)], { stdio: "inherit" });
for (const signal of signals) {
    process.on(signal, () => script.kill(signal));
}
script.on("error", (error) => {
    console.error(`lectern: the start script does not run: ${error.message}`);
    process.exit(1);
});
script.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
