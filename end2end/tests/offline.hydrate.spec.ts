// What is done while the server is away: it is kept by the browser, belongs to its account, and arrives once, in order.
import type { BrowserContext, Page } from "@playwright/test";
import { ask, member, signIn } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { expect, ready, test } from "../fixtures/test";

const RUBRIC = `
name = "mixed"
version = 1
[[scale]]
id = "four"
kind = "ordinal"
levels = [{ value = 0, name = "none" }, { value = 1, name = "some" }, { value = 2, name = "much" }, { value = 3, name = "all" }]
[[criterion]]
id = "relevance"
component = "retrieval"
unit = "passage"
scale = "four"
question = "Is it relevant?"
required = true
[[criterion]]
id = "sourced"
component = "generation"
unit = "paragraph"
scale = "four"
question = "Does it need a source?"
required = true
[[criterion]]
id = "support"
component = "generation"
unit = "citation"
scale = "four"
question = "Does the passage support it?"
required = true
[[criterion]]
id = "quality"
component = "generation"
unit = "conversation"
scale = "four"
question = "How good is it?"
required = true
`;

const CONVERSATIONS = [1, 2, 3]
  .map((index) =>
    JSON.stringify({
      id: `c${index}`,
      question: `Question ${index}?`,
      passages: [{ id: "p1", text: "The first passage." }, { id: "p2", text: "The second passage." }],
      answer: { text: "An answer.", paragraphs: [{ id: "a1", text: "An answer.", citations: ["p1"] }] },
    }),
  )
  .join("\n");

/** What stands after all five questions of a conversation were answered with these digits, in the order of asking. */
const QUESTIONS = ["passage:p1", "passage:p2", "paragraph:a1", "citation:a1/p1", "conversation"];

test.use({ expected: [/ERR_CONNECTION|ERR_INTERNET_DISCONNECTED|ERR_EMPTY_RESPONSE|Failed to fetch|status of 401|status of 409|ERR_FAILED.*submit_conversation/] });

let server: Server;
test.beforeAll(async () => {
  server = await Server.start();
});
test.afterAll(async () => {
  await server.stop();
});

const save = (page: Page) => page.locator(".save");
const saved = (page: Page) => expect(save(page)).toHaveText("Saved");
const labels = (): number => JSON.parse(server.done("doctor", "--json").out).rows.labels;

async function stored(context: BrowserContext, project: string): Promise<[string, number | null][]> {
  const { answer } = await ask(context, server.origin, "load_desk", { project });
  return answer.task.answers.map((one: { unit: string; value: number | null }) => [one.unit, one.value]);
}

test("a lost network, a closed tab and an ended session lose nothing", async ({ browser, open }) => {
  const name = server.project("offline", RUBRIC, CONVERSATIONS);
  const ada = await member(browser, server, name, "annotator", `ada-${name}`);
  const ben = await member(browser, server, name, "annotator", `ben-${name}`);
  const [hers, his] = [await open(ada), await open(ben)];
  for (const page of [hers, his]) await page.goto(`${server.origin}/p/${name}/label`);
  const before = labels();

  await hers.keyboard.type("31");
  await saved(hers);
  await ada.setOffline(true);
  await hers.keyboard.type("20");
  await his.keyboard.type("12321");
  await saved(his);
  await expect(save(hers)).toHaveText("Offline, 2 waiting");
  await hers.close();
  await ada.clearCookies();
  await ada.setOffline(false);
  expect(labels() - before, "what waits in her browser is not here yet").toBe(7);

  const again = await open(ada);
  await again.goto(`${server.origin}/p/${name}/label`);
  await expect(again).toHaveURL(/\/sign-in/);
  await signIn(again, `ada-${name}`);
  await expect(again.locator("#asked")).toHaveText("Question 1?");
  await saved(again);
  await expect(again.locator(".question"), "what was said before is not asked again").toHaveText("How good is it?");
  await again.keyboard.press("3");
  await saved(again);
  expect(await stored(ada, name)).toEqual(QUESTIONS.map((unit, index) => [unit, [3, 1, 2, 0, 3][index]]));
  expect(await stored(ben, name)).toEqual(QUESTIONS.map((unit, index) => [unit, [1, 2, 3, 2, 1][index]]));
  expect(labels() - before, "each once").toBe(10);
});

test("what one person left unsent is not sent under another, and not lost either", async ({ browser, open }) => {
  const name = server.project("offline", RUBRIC, CONVERSATIONS);
  const context = await member(browser, server, name, "annotator", `ada-${name}`);
  const ben = await member(browser, server, name, "annotator", `ben-${name}`);
  await ben.close();
  const page = await open(context);
  await page.goto(`${server.origin}/p/${name}/label`);
  await context.setOffline(true);
  await page.keyboard.type("32");
  await expect(save(page)).toHaveText("Offline, 2 waiting");
  await context.clearCookies();
  await context.setOffline(false);

  await page.goto(`${server.origin}/p/${name}/label`);
  await signIn(page, `ben-${name}`);
  await expect(page.locator("#asked")).toHaveText("Question 1?");
  await saved(page);
  await page.keyboard.press("1");
  await saved(page);
  expect(await stored(context, name)).toEqual([["passage:p1", 1]]);

  await page.getByRole("button", { name: "Sign out" }).click();
  await ready(page);
  await page.goto(`${server.origin}/p/${name}/label`);
  await signIn(page, `ada-${name}`);
  await saved(page);
  await expect.poll(() => stored(context, name)).toEqual([["passage:p1", 3], ["passage:p2", 2]]);
});

test("the next conversation is there at once, also without the server, and all arrives in order", async ({ browser, open }) => {
  const name = server.project("offline", RUBRIC, CONVERSATIONS);
  const context = await member(browser, server, name, "annotator", `ada-${name}`);
  const page = await open(context);
  const ahead = page.waitForResponse((response) => response.url().endsWith("/rpc/load_ahead"));
  await page.goto(`${server.origin}/p/${name}/label`);
  await (await ahead).finished();
  await page.keyboard.type("3210");
  await context.setOffline(true);
  await page.keyboard.type("1");
  await page.keyboard.press("Enter");
  await expect(page.locator("#asked")).toHaveText("Question 2?");
  await expect(page.locator(".status-line .num")).toContainText("1 of 3");
  await page.keyboard.type("12321");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Submitting…" })).toBeVisible();
  await expect(save(page)).toHaveText(/^Offline, \d+ waiting$/);
  await context.setOffline(false);
  await expect(page.locator("#asked")).toHaveText("Question 3?");
  await expect(page.locator(".status-line .num")).toContainText("2 of 3");
  await saved(page);
  await page.reload();
  await expect(page.locator("#asked")).toHaveText("Question 3?");
  expect(JSON.parse(server.done("agreement", "--project", name, "--json").out).criteria.map((one: { labels: number }) => one.labels)).toEqual([4, 2, 2, 2]);
});

test("who submits before the next conversation has come gets it when it comes, and each once", async ({ browser, open }) => {
  const name = server.project("offline", RUBRIC, CONVERSATIONS);
  const context = await member(browser, server, name, "annotator", `ada-${name}`);
  const page = await open(context);
  let release = () => {};
  const released = new Promise<void>((done) => (release = done));
  await page.route("**/rpc/load_ahead", async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(`${server.origin}/p/${name}/label`);
  await page.keyboard.type("32101");
  const submitted = page.waitForResponse((response) => response.url().endsWith("/rpc/submit_conversation"));
  await page.keyboard.press("Enter");
  await submitted;
  await expect(page.getByRole("button", { name: "Submitting…" })).toBeVisible();
  release();
  for (const conversation of [2, 3]) {
    await expect(page.locator("#asked")).toHaveText(`Question ${conversation}?`);
    await page.keyboard.type("12321");
    await page.keyboard.press("Enter");
  }
  await expect(page.getByText("You submitted 3 and skipped 0.")).toBeVisible();
});

test("a session that ended in the middle is renewed in the same window, and what waited goes out by itself", async ({ browser, open }) => {
  const name = server.project("offline", RUBRIC, CONVERSATIONS);
  const context = await member(browser, server, name, "annotator", `ada-${name}`);
  const page = await open(context);
  await page.goto(`${server.origin}/p/${name}/label`);
  await context.clearCookies();
  await page.keyboard.type("32");
  await expect(save(page)).toHaveText("Signed out, 2 waiting");
  await page.getByRole("link", { name: "Sign in again" }).click();
  await signIn(page, `ada-${name}`);
  await saved(page);
  expect(await stored(context, name)).toEqual([["passage:p1", 3], ["passage:p2", 2]]);
});

test("a conversation that waits to be submitted is not shown again after a reload", async ({ browser, open }) => {
  const name = server.project("offline", RUBRIC, CONVERSATIONS);
  const context = await member(browser, server, name, "annotator", `ada-${name}`);
  const page = await open(context);
  await page.goto(`${server.origin}/p/${name}/label`);
  await page.keyboard.type("32101");
  await saved(page);
  await page.route("**/rpc/submit_conversation", (route) => route.abort());
  await page.keyboard.press("Enter");
  await expect(save(page)).toHaveText("Offline, 1 waiting");
  await page.unroute("**/rpc/submit_conversation");
  await page.reload();
  await expect(page.locator("#asked")).toHaveText("Question 2?");
  await saved(page);
});

test("what the server will never take can be given up", async ({ browser, open }) => {
  const name = server.project("offline", RUBRIC, CONVERSATIONS);
  const context = await member(browser, server, name, "annotator", `ada-${name}`);
  const page = await open(context);
  await page.goto(`${server.origin}/p/${name}/label`);
  await page.keyboard.press("3");
  await saved(page);
  const next = RUBRIC.replace("version = 1", "version = 2").replace("How good is it?", "How good is it really?");
  server.done("import", "rubric", "--project", name, server.file("next.toml", next));
  await page.keyboard.press("2");
  await expect(save(page)).toContainText("Not saved, 1 waiting: the rubric is now version 2");
  await page.getByRole("button", { name: "Give up what waits" }).click();
  await saved(page);
  await page.reload();
  await expect(page.locator(".unit-name")).toContainText("Passage 2");
});
