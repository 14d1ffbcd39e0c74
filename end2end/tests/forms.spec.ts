// Every page that is a form, with a program in the page and without one.
import type { Page } from "@playwright/test";
import { PASSWORD, ask, member, signIn } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { expect, scripted, test } from "../fixtures/test";

// What the server refuses is said in the console as well.
test.use({ expected: [/status of 4(01|03|09|22|29)/] });

const RUBRIC = `
name = "second"
version = 1
[[scale]]
id = "s"
kind = "binary"
levels = [{ value = 0, name = "no" }, { value = 1, name = "yes" }]
[[criterion]]
id = "c"
component = "generation"
unit = "conversation"
scale = "s"
question = "Is it right?"
`;

let server: Server;
test.beforeEach(async () => {
  server = await Server.start({ demo: true });
});
test.afterEach(async () => {
  await server.stop();
});

const refusal = (page: Page) => page.getByRole("alert").filter({ hasText: "This was not taken" });

test("the first admin, an invitation, and signing in", async ({ page, browser, open }) => {
  await page.goto(server.adminLink);
  await page.getByLabel("Your name").fill("Root");
  await page.getByLabel("Password").fill("short");
  await page.getByRole("button", { name: "Make the account" }).click();
  await expect(refusal(page)).toContainText("12");
  await page.getByLabel("Your name").fill("Root");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Make the account" }).click();
  await expect(page.getByRole("heading", { name: "Your projects" })).toBeVisible();
  await page.getByRole("link", { name: "demo" }).first().click();
  await page.getByRole("link", { name: "People" }).click();

  await page.getByLabel("Role", { exact: true }).selectOption("annotator");
  await page.getByRole("button", { name: "Make a link" }).click();
  const link = await page.locator("#invitation-link").inputValue();
  expect(link).toMatch(new RegExp(`^${server.origin}/invitation/`));
  await page.reload();
  await expect(page.locator("#invitation-link"), "a link is shown once").toHaveCount(0);

  const context = await browser.newContext({ javaScriptEnabled: scripted() });
  const other = await open(context);
  await other.goto(link);
  await expect(other.locator("main")).toContainText("You are invited to demo as annotator.");
  await other.getByLabel("Your name").fill("Nora");
  await other.getByLabel("Password").fill(PASSWORD);
  await other.getByRole("button", { name: "Make the account" }).click();
  await expect(other).toHaveURL(/\/p\/demo\/label$/);
  await other.getByRole("button", { name: "Sign out" }).click();
  await expect(other).toHaveURL(/\/sign-in$/);
  await other.goto(`${server.origin}/p/demo/label`);
  await expect(other).toHaveURL(/\/sign-in\?next=/);
  await signIn(other, "Nora", "not the password at all");
  await expect(refusal(other)).toContainText("do not belong together");
  await other.goto(`${server.origin}/sign-in?next=${encodeURIComponent("/p/demo/label")}`);
  await signIn(other, "nora", PASSWORD);
  await expect(other).toHaveURL(/\/p\/demo\/label$/);

  await page.reload();
  const row = page.getByRole("row", { name: /Nora/ });
  await row.getByLabel("Role of Nora", { exact: true }).selectOption("engineer");
  await row.getByRole("button", { name: "Set the role of Nora" }).click();
  await expect.poll(async () => (await other.request.get(`${server.origin}/p/demo/agreement.json`)).status()).toBe(200);
  await page.reload();
  await expect(page.getByRole("row", { name: /Nora/ }).getByLabel("Role of Nora", { exact: true })).toHaveValue("engineer");
  await page.getByLabel("Overlap").fill("1000");
  await page.getByRole("button", { name: "Set", exact: true }).click();
  await expect(refusal(page)).toContainText("100");
  await page.getByLabel("Overlap").fill("4");
  await page.getByRole("button", { name: "Set", exact: true }).click();
  await expect(refusal(page)).toHaveCount(0);
  await page.goto(`${server.origin}/p/demo/people`);
  await expect(page.getByLabel("Overlap")).toHaveValue("4");
  await page.getByRole("button", { name: "Remove Nora" }).click();
  await expect(page.getByRole("row", { name: /Nora/ })).toHaveCount(0);
});

test("who is signed in joins with the account that is there", async ({ page }) => {
  await page.goto(server.invite("demo", "engineer"));
  await page.getByLabel("Your name").fill("Eve");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Make the account" }).click();
  await expect(page).toHaveURL(/\/p\/demo\/label$/);
  server.done("project", "create", "second", "--rubric", server.file("rubric.toml", RUBRIC), "--order-seed", "import");
  await page.goto(server.invite("second", "lead"));
  await page.getByRole("button", { name: "Join as Eve" }).click();
  await expect(page).toHaveURL(/\/p\/second\/label$/);
  await page.goto(`${server.origin}/`);
  await expect(page.locator("main").getByRole("link")).toHaveText([/^demo.*engineer/, /^second.*lead/]);
});

test("a gate is decided, and the decision stays on record", async ({ browser, open }) => {
  const signed = await member(browser, server, "demo", "lead", "Lea");
  const page = await open(await browser.newContext({ storageState: await signed.storageState(), javaScriptEnabled: scripted() }));
  await page.goto(`${server.origin}/p/demo/gate`);
  await page.getByLabel("Candidate").selectOption("illustrative / claims");
  await page.getByLabel("Policy (TOML)").fill('name = "strict"\n[rules]\nkapa_at_least = 1\n');
  await page.getByRole("button", { name: "Decide" }).click();
  await expect(refusal(page)).toContainText("kapa_at_least");
  await page.getByLabel("Candidate").selectOption("illustrative / claims");
  await page.getByLabel("Policy (TOML)").fill('name = "strict"\ncriteria = ["helpfulness"]\n[rules]\nkappa_at_least = { value = 0.999, on = "point" }\n');
  await page.getByRole("button", { name: "Decide" }).click();
  await expect(page).toHaveURL(/\/p\/demo\/gate\/[0-9a-f-]+$/);
  await expect(page.locator(".word")).toHaveText("HOLD");
  await page.getByRole("link", { name: "← Gate" }).click();
  await expect(page.getByRole("region", { name: "Decisions" }).getByRole("link", { name: "HOLD" })).toBeVisible();
});

test("a password is changed, and all sessions are ended", async ({ browser, open }) => {
  const signed = await member(browser, server, "demo", "annotator", "Ada-two");
  const state = await signed.storageState();
  const page = await open(await browser.newContext({ storageState: state, javaScriptEnabled: scripted() }));
  await page.goto(`${server.origin}/account`);
  await expect(page.locator("main")).toContainText("this one");
  await page.getByLabel("Present password").fill("not the present one");
  await page.getByLabel("New password").fill("another stone for silver");
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(refusal(page)).toContainText("present password");
  await page.getByLabel("Present password").fill(PASSWORD);
  await page.getByLabel("New password").fill("another stone for silver");
  await page.getByRole("button", { name: "Change password" }).click();
  await expect.poll(async () => (await ask(signed, server.origin, "load_account", {})).status, "the session from before").toBe(401);
  await page.goto(`${server.origin}/account`);
  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
  await page.goto(`${server.origin}/account`);
  await expect(page).toHaveURL(/\/sign-in\?next=/);
});

test("an API token is made, shown once, used and revoked", async ({ browser, open, playwright }) => {
  const signed = await member(browser, server, "demo", "engineer", "Tom");
  const page = await open(await browser.newContext({ storageState: await signed.storageState(), javaScriptEnabled: scripted() }));
  await page.goto(`${server.origin}/account`);
  await page.getByLabel("What it is for").fill("nightly");
  await page.getByLabel("Read reports", { exact: false }).uncheck();
  await page.getByLabel("Days until it expires").fill("30");
  await page.getByRole("button", { name: "Make a token" }).click();
  await expect(refusal(page)).toContainText("read, gate, judge, score or import");
  await page.getByLabel("What it is for").fill("nightly");
  await page.getByLabel("Read reports", { exact: false }).check();
  await page.getByLabel("Project").selectOption("demo");
  await page.getByLabel("Days until it expires").fill("30");
  await page.getByRole("button", { name: "Make a token" }).click();
  const token = await page.locator("#new-token").inputValue();
  expect(token).toMatch(/^ts_[0-9a-f]{8}_[0-9a-f]{32}$/);
  await expect(page.getByRole("row", { name: /nightly/ })).toContainText("demo");
  await page.reload();
  await expect(page.locator("#new-token"), "a token is shown once").toHaveCount(0);
  const program = await playwright.request.newContext({ extraHTTPHeaders: { authorization: `Bearer ${token}` } });
  const read = async () => (await program.get(`${server.origin}/api/v1/agreement?project=demo`)).status();
  expect(await read()).toBe(200);
  await page.getByRole("button", { name: "Revoke nightly" }).click();
  await expect(page.getByRole("row", { name: /nightly/ })).toHaveCount(0);
  expect(await read()).toBe(401);
  await program.dispose();
});

test("a conversation is labelled by a plain form", async ({ browser, open }) => {
  test.skip(scripted(), "with a program there are keys");
  const signed = await member(browser, server, "demo", "annotator", "Ada-three");
  const page = await open(await browser.newContext({ storageState: await signed.storageState(), javaScriptEnabled: false }));
  await page.goto(`${server.origin}/p/demo/label`);
  const question = await page.locator("#asked").innerText();
  const groups = page.locator(".plain-form fieldset");
  const count = await groups.count();
  expect(count).toBeGreaterThan(3);
  await groups.first().getByRole("radio").first().check();
  await page.getByRole("button", { name: "Save all and submit" }).click();
  await expect(refusal(page)).toContainText("no answer yet");
  await expect(groups.first().getByRole("radio").first(), "what was answered is kept").toBeChecked();
  for (let index = 0; index < count; index++) await groups.nth(index).getByRole("radio").first().check();
  await page.getByRole("button", { name: "Save all and submit" }).click();
  await expect(page.locator("#asked")).not.toHaveText(question);
  await expect(page.locator(".status-line")).toContainText("1 of");
});
