// The label page by keyboard: what each key does, what it does not do, and what happens when a person is in two places.
import type { BrowserContext, Page } from "@playwright/test";
import { ask, member } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { expect, test } from "../fixtures/test";

const RUBRIC = `
name = "bench"
version = 1
[[scale]]
id = "four"
kind = "ordinal"
levels = [{ value = 0, name = "none" }, { value = 1, name = "some" }, { value = 2, name = "much" }, { value = 3, name = "all" }]
[[scale]]
id = "eleven"
kind = "ordinal"
levels = [${[...Array(11).keys()].map((value) => `{ value = ${value}, name = "step ${value}" }`).join(", ")}]
[[scale]]
id = "share"
kind = "continuous"
min = 0.0
max = 1.0
[[criterion]]
id = "relevance"
component = "retrieval"
unit = "passage"
scale = "four"
question = "Is it relevant?"
guideline = "Judge the passage, not the answer."
required = true
[[criterion]]
id = "quality"
component = "generation"
unit = "conversation"
scale = "eleven"
question = "How good is it?"
required = true
[[criterion]]
id = "support"
component = "generation"
unit = "conversation"
scale = "share"
question = "What share is supported?"
`;

const CONVERSATIONS = [1, 2, 3]
  .map((index) =>
    JSON.stringify({
      id: `c${index}`,
      question: `Question ${index}?`,
      passages: [{ id: "p1", text: "The first passage." }, { id: "p2", text: "The second passage." }],
      answer: { text: `Answer ${index}.` },
    }),
  )
  .join("\n");

let server: Server;
test.beforeAll(async () => {
  server = await Server.start();
});
test.afterAll(async () => {
  await server.stop();
});

/** A project of its own with one annotator, whose label page is open. */
async function bench(context: { browser: Parameters<typeof member>[0]; open: (context: BrowserContext) => Promise<Page> }) {
  const project = server.project("bench", RUBRIC, CONVERSATIONS);
  const annotator = await member(context.browser, server, project, "annotator", `ada-${project}`);
  const page = await context.open(annotator);
  await page.goto(`${server.origin}/p/${project}/label`);
  const stored = async () => (await ask(annotator, server.origin, "load_desk", { project })).answer.task?.answers ?? [];
  return { annotator, page, project, stored };
}

const saved = (page: Page) => expect(page.locator(".save")).toHaveText("Saved");
const unit = (page: Page) => page.locator(".unit-name");

test("digits answer and move on, and u takes back", async ({ browser, open }) => {
  const { page, stored } = await bench({ browser, open });
  await expect(unit(page)).toContainText("Passage 1");
  await page.keyboard.press("3");
  await expect(unit(page)).toContainText("Passage 2");
  await page.keyboard.press("0");
  await expect(page.locator(".question")).toHaveText("How good is it?");
  await page.keyboard.press("u");
  await expect(unit(page)).toContainText("Passage 2");
  await saved(page);
  expect((await stored()).map((one: { value: number | null }) => one.value)).toEqual([3, null]);
  await page.keyboard.press("7");
  await expect(unit(page), "a level that the scale lacks is no answer").toContainText("Passage 2");
  await page.keyboard.press("k");
  await expect(unit(page)).toContainText("Passage 1");
  await expect(page.locator(".key[aria-pressed=true]")).toContainText("all");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await expect(page.locator(".question")).toHaveText("How good is it?");
  await page.keyboard.press("l");
  await expect(page.locator(".question")).toHaveText("What share is supported?");
  await page.keyboard.press("h");
  await expect(page.locator(".question")).toHaveText("How good is it?");
});

test("a scale of eleven levels takes Shift for the last", async ({ browser, open }) => {
  const { page, stored } = await bench({ browser, open });
  await page.keyboard.type("12");
  await expect(page.locator(".question")).toHaveText("How good is it?");
  await page.keyboard.press("Shift+Digit0");
  await saved(page);
  expect((await stored()).find((one: { criterion: string }) => one.criterion === "quality").value).toBe(10);
});

test("Enter goes to what is open, and submits when nothing is", async ({ browser, open }) => {
  const { page } = await bench({ browser, open });
  await page.keyboard.press("j");
  await page.keyboard.press("2");
  await page.keyboard.press("Enter");
  await expect(page.locator(".notice")).toHaveText("2 questions are still open.");
  await expect(unit(page)).toContainText("Passage 1");
  await page.keyboard.type("15");
  await page.keyboard.press("Enter");
  await expect(page.locator("#asked")).toHaveText("Question 2?");
  await expect(page.locator(".status-line")).toContainText("1 of 3");
  await expect(page.locator("#asked")).toBeFocused();
});

test("a conversation is skipped with a reason, and does not come back", async ({ browser, open }) => {
  const { page } = await bench({ browser, open });
  await page.keyboard.press("s");
  const dialog = page.getByRole("dialog", { name: "Skip this conversation" });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await page.keyboard.press("s");
  await dialog.getByLabel("Another reason").fill("I wrote this answer, and 3 is not an answer here");
  await page.keyboard.press("Enter");
  await expect(page.locator("#asked")).toHaveText("Question 2?");
  await page.reload();
  await expect(page.locator("#asked")).toHaveText("Question 2?");
});

test("answers are flagged and commented, and both are kept", async ({ browser, open }) => {
  const { page, stored } = await bench({ browser, open });
  await page.keyboard.press("2");
  await page.keyboard.press("k");
  await page.keyboard.press("f");
  await expect(page.locator(".asked .tag")).toHaveText("flagged");
  await page.keyboard.press("c");
  await expect(page.getByLabel("Comment on this answer")).toBeFocused();
  await page.keyboard.type("see 7.3, f u s j k 0");
  await page.keyboard.press("Control+Enter");
  await saved(page);
  const answer = { unit: "passage:p1", value: 2, flag: true, comment: "see 7.3, f u s j k 0" };
  expect(await stored()).toEqual([expect.objectContaining(answer)]);
  await page.reload();
  await page.keyboard.press("k");
  await expect(page.locator(".remark")).toHaveText(answer.comment);
  await page.keyboard.press("u");
  await page.keyboard.press("f");
  await saved(page);
  expect((await stored())[0].flag).toBe(false);
});

test("shortcuts can be turned off, and stay off", async ({ browser, open }) => {
  const { page, stored } = await bench({ browser, open });
  await page.keyboard.press("?");
  await page.getByLabel("Single keys are shortcuts").uncheck();
  await page.keyboard.press("Escape");
  await page.keyboard.press("3");
  await page.reload();
  await page.keyboard.press("3");
  await expect(unit(page)).toContainText("Passage 1");
  expect(await stored()).toEqual([]);
  await page.locator(".key").first().click();
  await expect(unit(page), "the keys on the page can still be pressed").toContainText("Passage 2");
  await page.getByRole("button", { name: "All keys" }).click();
  await page.getByLabel("Single keys are shortcuts").check();
  await page.keyboard.press("Escape");
  await page.keyboard.press("3");
  await expect(page.locator(".question")).toHaveText("How good is it?");
});

test("keys with Ctrl, Alt or Meta are the browser's", async ({ browser, open }) => {
  const { page, stored } = await bench({ browser, open });
  for (const key of ["Control+3", "Alt+3", "Meta+3"]) await page.keyboard.press(key);
  await expect(unit(page)).toContainText("Passage 1");
  expect(await stored()).toEqual([]);
});

test("the guideline is one key away", async ({ browser, open }) => {
  const { page } = await bench({ browser, open });
  await page.keyboard.press("g");
  await expect(page.getByRole("dialog", { name: "Guideline" })).toContainText("Judge the passage, not the answer.");
  await page.keyboard.press("3");
  await expect(unit(page), "keys rest while something is open").toContainText("Passage 1");
});

test("a continuous scale takes a number, and says what it expects", async ({ browser, open }) => {
  const { page, stored } = await bench({ browser, open });
  await page.keyboard.type("124");
  await expect(page.locator(".question")).toHaveText("What share is supported?");
  const field = page.getByRole("spinbutton");
  await field.focus();
  await page.keyboard.type("1.5");
  await page.keyboard.press("Enter");
  await expect(page.locator("#number-hint")).toContainText("1.5");
  await expect(page.locator("#number-hint")).toContainText("expected");
  await field.fill("0.25");
  await page.keyboard.press("Enter");
  await saved(page);
  expect((await stored()).find((one: { criterion: string }) => one.criterion === "support").value).toBe(0.25);
});

test("two tabs that answer the same question show both answers, and the person decides", async ({ browser, open }) => {
  const { page, annotator, project, stored } = await bench({ browser, open });
  const other = await open(annotator);
  await other.goto(`${server.origin}/p/${project}/label`);
  await page.keyboard.press("1");
  await saved(page);
  await other.keyboard.press("3");
  const conflict = other.getByRole("alert").filter({ hasText: "another tab" });
  await expect(conflict).toContainText("here 3, there 1");
  await expect(other.locator(".save")).toHaveText("Not saved: answered elsewhere");
  expect((await stored()).map((one: { value: number }) => one.value), "nothing was overwritten").toEqual([1]);
  await other.keyboard.press("2");
  await conflict.getByRole("button", { name: "Keep 3" }).click();
  await saved(other);
  expect((await stored()).map((one: { value: number }) => one.value)).toEqual([3, 2]);

  await page.keyboard.press("k");
  await page.keyboard.press("0");
  await expect(page.getByRole("alert").filter({ hasText: "another tab" })).toContainText("here 0, there 3");
  await page.getByRole("button", { name: "Let 3 stand" }).click();
  await saved(page);
  await page.keyboard.press("k");
  await expect(page.locator(".key[aria-pressed=true]")).toContainText("all");
  expect((await stored())[0].value).toBe(3);
});

test("at the end it says so", async ({ browser, open }) => {
  const { page } = await bench({ browser, open });
  for (const conversation of [1, 2, 3]) {
    await expect(page.locator("#asked")).toHaveText(`Question ${conversation}?`);
    await page.keyboard.type("125");
    await page.keyboard.press("Enter");
  }
  await expect(page.getByRole("heading", { name: "Nothing is left for you" })).toBeVisible();
  await expect(page.getByText("You submitted 3 and skipped 0.")).toBeVisible();
});

test.describe("without a session", () => {
  test.use({ expected: [/status of 401/] });

  test("a session that ended keeps the answers until the person is back", async ({ browser, open }) => {
    const { page, annotator, stored } = await bench({ browser, open });
    const cookies = await annotator.cookies();
    await annotator.clearCookies();
    await page.keyboard.press("3");
    await expect(page.locator(".save")).toHaveText("Signed out, 1 waiting");
    await annotator.addCookies(cookies);
    await page.getByRole("button", { name: "Try again" }).click();
    await saved(page);
    expect((await stored()).map((one: { value: number }) => one.value)).toEqual([3]);
  });
});
