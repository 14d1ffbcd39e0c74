// From a metric that fell to the sentence that nothing supports, by keyboard alone, and the numbers behind the picture.
import type { BrowserContext, Page } from "@playwright/test";
import { signUp } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { expect, test } from "../fixtures/test";

const FAITHFULNESS = "faithfulness to cited references";

test.describe.configure({ mode: "serial" });
test.setTimeout(60_000);

let server: Server;
let admin: BrowserContext;
test.beforeAll(async ({ browser }) => {
  server = await Server.start({ demo: true });
  admin = await browser.newContext({ baseURL: server.origin });
  await signUp(admin, server.adminLink, "admin");
});
test.afterAll(async () => {
  await admin?.close();
  await server?.stop();
});

/** The row of a metric. */
const row = (page: Page, metric: string) =>
  page.getByRole("region", { name: "Metrics of generation" }).getByRole("row").filter({ has: page.getByRole("button", { name: metric, exact: true }) }).first();

/** What has the focus: its classes and its text. */
const focused = (page: Page) =>
  page.evaluate(() => ({ classes: [...(document.activeElement?.classList ?? [])], text: document.activeElement?.textContent ?? "" }));

test("from faithfulness to the unsupported sentence in at most four keys", async ({ open }) => {
  const page = await open(admin);
  await page.goto("/p/demo/diagnose");
  const metric = row(page, FAITHFULNESS);
  await metric.getByRole("button", { name: FAITHFULNESS, exact: true }).focus();
  const worst = (await metric.getByRole("link").first().textContent()) ?? "";

  let keys = 0;
  for (const key of ["Tab", "Enter"]) {
    await page.keyboard.press(key);
    keys += 1;
  }
  expect(keys).toBeLessThanOrEqual(4);
  await expect(page).toHaveURL(new RegExp(`/p/demo/conversation/${worst}\\?metric=faithfulness_to_cited`));
  const fault = page.locator(".fault");
  await expect(fault).toHaveCount(1);
  await expect(fault).toBeFocused();
  await expect(fault).toBeInViewport();
  const { classes, text } = await focused(page);
  expect(classes).toContain("paragraph");
  expect(text).toContain(`Lowers “${FAITHFULNESS}”`);

  await page.getByRole("link", { name: "← Diagnose" }).press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Where it fails" })).toBeVisible();
  await page.close();
});

test("the address of a fault leads to it also when it is opened by itself", async ({ open }) => {
  const page = await open(admin);
  await page.goto("/p/demo/conversation/shop-08?metric=citation_correctness");
  await expect(page.locator("#paragraph-2")).toHaveClass(/fault/);
  await expect(page.locator("#paragraph-2")).toBeFocused();
  await page.goto("/p/demo/conversation/servicing-01?metric=citation_correctness");
  await expect(page.locator(".fault")).toHaveCount(0);
  await page.close();
});

test("the flow, its table and the file have the same numbers", async ({ open }) => {
  const page = await open(admin);
  const answer = await admin.request.get("/p/demo/diagnose.json?by=corpus");
  expect(answer.status()).toBe(200);
  const report = await answer.json();
  const { routing, retrieval, generation, none, unjudged } = report.failed_at;
  await page.goto("/p/demo/diagnose?by=corpus");
  const table = page.getByRole("region", { name: "First failing stage by slice" });
  await expect(table).toBeVisible();
  const cells = await table.getByRole("row", { name: /^all / }).getByRole("cell").allTextContents();
  expect(cells.map((cell) => Number.parseInt(cell, 10))).toEqual([routing, retrieval, generation, none, unjudged]);
  await expect(page.getByRole("region", { name: "Flow of the conversations" }).locator("desc")).toContainText(`Routing: ${routing} fail first here`);
  const people = report.metrics.find((one: { id: string }) => one.id === "faithfulness_to_cited").estimate.value;
  const shown = Number(await row(page, FAITHFULNESS).locator("data").first().getAttribute("value"));
  expect(shown).toBeCloseTo(people, 9);
  await page.close();
});

test("the formula of a metric and the table of the flow are one key away", async ({ open }) => {
  const page = await open(admin);
  await page.goto("/p/demo/diagnose");
  await row(page, FAITHFULNESS).getByRole("button", { name: FAITHFULNESS, exact: true }).press("Enter");
  await expect(page.locator("#about-faithfulness-to-cited")).toContainText("mean over the paragraphs that need a source and cite");
  await page.keyboard.press("Escape");
  const summary = page.locator("summary", { hasText: "The same numbers as a table" });
  await summary.press("Enter");
  await expect(page.getByRole("region", { name: "First failing stage by slice" })).toBeVisible();
  await page.close();
});

test("the metrics of each judge stand on the compare page, once they are asked for", async ({ open }) => {
  const page = await open(admin);
  await page.goto("/p/demo/compare");
  await page.getByRole("link", { name: "Show the metrics of each judge" }).press("Enter");
  const table = page.getByRole("region", { name: "Metrics by judge" });
  await expect(table).toBeVisible();
  await expect(table.getByRole("columnheader", { name: "illustrative / claims" })).toHaveCount(1);
  await page.close();
});
