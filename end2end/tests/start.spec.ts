import { expect, test } from "@playwright/test";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const binary = resolve(import.meta.dirname, "../../target/release/touchstone");
const password = "a stone from the river";
let directory: string;
let server: ChildProcess;
let origin: string;

test.beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "touchstone-"));
  const db = join(directory, "start.db");
  expect(spawnSync(binary, ["--db", db, "demo"]).status).toBe(0);
  expect(spawnSync(binary, ["--db", db, "user", "create", "Ada", "--admin"], { input: password }).status).toBe(0);
  server = spawn(binary, ["--db", db, "serve", "--listen", "127.0.0.1:0"], { stdio: ["ignore", "ignore", "pipe"] });
  origin = await new Promise((found) => {
    let said = "";
    server.stderr?.on("data", (chunk) => {
      said += chunk;
      const address = /at (http:\/\/127\.0\.0\.1:\d+)/.exec(said);
      if (address) found(address[1]);
    });
  });
});

test.afterAll(() => {
  server.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
});

test("an admin signs in and every page of the demo project answers", async ({ page }) => {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(`${origin}/sign-in`);
  await page.getByLabel("Name").fill("Ada");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => !url.pathname.includes("sign-in"));
  for (const path of ["", "/label", "/agreement", "/compare", "/gate", "/people"]) {
    const answer = await page.goto(`${origin}/p/demo${path}`);
    expect(answer?.status(), path).toBe(200);
    await expect(page.getByRole("heading", { level: 1 }).or(page.locator("#asked")).first()).toBeVisible();
  }
  expect(errors).toEqual([]);
});
