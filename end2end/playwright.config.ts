import { defineConfig } from "@playwright/test";

// Each test file starts servers of its own on free ports, on databases of its own.
export default defineConfig({
  testDir: "tests",
  fullyParallel: false,
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  reporter: [["list"]],
  timeout: 120_000,
  // A busy machine of two cores is slow, not wrong.
  expect: { timeout: 20_000 },
  use: {
    launchOptions: {
      executablePath: "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
    trace: "retain-on-failure",
  },
  projects: [
    // What needs the program in the page is named *.hydrate.spec.ts; all else must work without it too.
    { name: "with JavaScript", use: { browserName: "chromium" } },
    { name: "without JavaScript", use: { browserName: "chromium", javaScriptEnabled: false }, testIgnore: "**/*.hydrate.spec.ts" },
  ],
});
