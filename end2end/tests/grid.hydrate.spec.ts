// Paragraphs against what they cite: a grid by keyboard, and what is cited and is no passage.
import { member } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { accessible, expect, fits, test } from "../fixtures/test";

const CONVERSATION = JSON.stringify({
  id: "c1",
  question: "May I send it back?",
  passages: [
    { id: "p1", text: "Goods may be returned within 30 days of delivery." },
    { id: "p2", text: "Opening hours are nine to five." },
  ],
  answer: {
    text: "Within 30 days. Bring the receipt. Goodbye.",
    paragraphs: [
      { id: "a1", text: "Goods may be returned within 30 days.", citations: ["p1", "gone"] },
      { id: "a2", text: "Bring the receipt.", citations: ["p2"] },
      { id: "a3", text: "Goodbye." },
    ],
  },
});

let server: Server;
let page: import("@playwright/test").Page;
let project: string;
test.beforeAll(async () => {
  server = await Server.start();
  const rubric = server.done("rubric", "show", "citations").out;
  project = server.project("grid", rubric, CONVERSATION);
});
test.afterAll(async () => {
  await server.stop();
});

test("arrows move, digits answer, and every answer is there after a reload", async ({ browser, open }) => {
  const annotator = await member(browser, server, project, "annotator", "ada");
  page = await open(annotator);
  await page.goto(`${server.origin}/p/${project}/label`);
  const grid = page.getByRole("grid", { name: "What the answer cites" });
  const here = page.locator("td.here");
  await expect(grid.getByRole("columnheader")).toHaveText(["Paragraph", "needs_source", "Passage 1", "Passage 2", "“gone” is no passage"]);
  await expect(here).toHaveAttribute("aria-label", "Paragraph 1, needs_source: no answer");
  await expect(grid.locator("td[tabindex='0']"), "one cell is reached by Tab").toHaveCount(1);

  await page.keyboard.press("1");
  await expect(here).toHaveAttribute("aria-label", "Paragraph 1 and passage 1: no answer");
  await expect(here).toBeFocused();
  await expect(page.locator(".compared mark")).toContainText(["Goods", "returned", "within", "30", "days"]);
  await page.keyboard.press("3");
  await expect(here).toHaveAttribute("aria-label", /gone.*no answer/);
  await expect(page.locator(".compared")).toContainText("the conversation has no such passage");
  await page.keyboard.press("1");
  await expect(here).toHaveAttribute("aria-label", "Paragraph 2, needs_source: no answer");

  await page.keyboard.press("ArrowRight");
  await expect(here).toHaveAttribute("aria-label", "Paragraph 2 and passage 2: no answer");
  await page.keyboard.press("ArrowUp");
  await expect(here).toHaveAttribute("aria-label", "Paragraph 1 and passage 1: full");
  await page.keyboard.press("End");
  await expect(here).toHaveAttribute("aria-label", /gone.*: none$/);
  await page.keyboard.press("Home");
  await expect(here).toBeFocused();
  await expect(page.locator(".save")).toHaveText("Saved");

  await page.reload();
  await expect(grid.getByRole("gridcell", { name: "Paragraph 1 and passage 1: full" })).toBeVisible();
  await accessible(page, "the grid");
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await fits(page, `the grid at ${width}`);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator("#citations").scrollIntoViewIfNeeded();
      await page.screenshot({ path: test.info().outputPath(`grid-${width}-${colorScheme}.png`) });
    }
  }
});

test("without a program the grid is a table of fields", async ({ browser }) => {
  const annotator = await member(browser, server, project, "annotator", "ben");
  const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await annotator.storageState() });
  const page = await plain.newPage();
  await page.goto(`${server.origin}/p/${project}/label`);
  const choose = (name: RegExp, level: string) => page.getByRole("combobox", { name }).selectOption(level);
  for (const paragraph of [1, 2, 3]) await choose(new RegExp(`^Paragraph ${paragraph}: `), "yes");
  await choose(/^Paragraph 1 and passage 1: /, "full");
  await choose(/gone.*no passage: /, "none");
  await page.getByRole("button", { name: "Save all and submit" }).click();
  await expect(page.locator(".summary-of-errors")).toContainText("1 required questions have no answer yet");
  await expect(page.getByRole("combobox", { name: /^Paragraph 1 and passage 1: / })).toHaveValue("3");
  await choose(/^Paragraph 2 and passage 2: /, "none");
  await page.getByRole("button", { name: "Save all and submit" }).click();
  await expect(page.getByText("Nothing is left for you")).toBeVisible();
  await plain.close();
});
