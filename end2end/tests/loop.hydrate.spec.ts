// From nothing to the agreement of two people on real conversations, as people do it: in the browser, and labelling by keyboard alone.
import type { BrowserContext, Page } from "@playwright/test";
import { PASSWORD, ask } from "../fixtures/people";
import { Server, data } from "../fixtures/server";
import { expect, test } from "../fixtures/test";

const CRITERIA = ["faithfulness", "appropriateness", "completeness", "naturalness"];
const CONVERSATIONS = 10;
const LEVELS = 4;

/** What Ada and Ben say: each conversation and criterion has a level from 1 to 4, and they differ here and there. */
const ada = (conversation: number, criterion: number) => 1 + ((3 * conversation + 2 * criterion) % LEVELS);
const ben = (conversation: number, criterion: number) =>
  (conversation + criterion) % 3 === 0 ? LEVELS + 1 - ada(conversation, criterion) : ada(conversation, criterion);

/** Quadratic weighted κ of the first `n` conversations but for those left out, by its definition. */
function kappa(criterion: number, leftOut: number[] = []): number {
  const items = [...Array(CONVERSATIONS).keys()].filter((item) => !leftOut.includes(item));
  const pairs = items.map((item): [number, number] => [ada(item, criterion), ben(item, criterion)]);
  const weight = (x: number, y: number) => (x - y) ** 2;
  const observed = pairs.reduce((sum, [x, y]) => sum + weight(x, y), 0) / pairs.length;
  const expected = pairs.reduce((sum, [x]) => sum + pairs.reduce((inner, [, y]) => inner + weight(x, y), 0), 0) / pairs.length ** 2;
  return 1 - observed / expected;
}

test.describe.configure({ mode: "serial" });
test.setTimeout(240_000);

let server: Server;
test.beforeAll(async () => {
  const folder = data("mtrag");
  test.skip(folder === undefined, "the mtrag conversations are not there");
  server = await Server.start();
  server.done("project", "create", "mtrag", "--rubric", `${folder}/rubric.toml`, "--order-seed", "import");
  server.done("import", "conversations", "--project", "mtrag", `${folder}/conversations.jsonl`);
});
test.afterAll(async () => {
  await server?.stop();
});

/** Makes an account on the page of a link. */
async function signUp(page: Page, link: string, name: string): Promise<void> {
  await page.goto(link);
  await page.getByLabel("Your name").fill(name);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Make the account" }).click();
}

/** Makes a link on the people page. */
async function invite(page: Page, role: string): Promise<string> {
  const before = await page.locator("#invitation-link").inputValue({ timeout: 100 }).catch(() => "");
  await page.getByLabel("Role", { exact: true }).selectOption(role);
  await page.getByRole("button", { name: "Make a link" }).click();
  await expect(page.locator("#invitation-link")).not.toHaveValue(before);
  return page.locator("#invitation-link").inputValue();
}

/** Answers the four questions of a conversation by their keys, and waits until all are stored. */
async function answer(page: Page, values: number[]): Promise<void> {
  for (const [index, value] of values.entries()) {
    await expect(page.locator(".criterion[aria-current=true]")).toContainText(CRITERIA[index] ?? "");
    await page.keyboard.press(String(value));
  }
  await expect(page.locator(".save")).toHaveText("Saved");
}

/** Labels conversations `from` to `to` by keyboard alone. */
async function label(page: Page, says: (conversation: number, criterion: number) => number, from: number, to: number): Promise<void> {
  for (let conversation = from; conversation < to; conversation++) {
    await expect(page.locator(".status-line")).toContainText(`${conversation} of 477`);
    await answer(page, CRITERIA.map((_, criterion) => says(conversation, criterion)));
    await page.keyboard.press("Enter");
    await expect(page.locator(".status-line")).toContainText(`${conversation + 1} of 477`);
  }
}

/** The agreement of Ada and Ben, who label under the names of their accounts, as the download says it; undefined where it says nothing. */
async function agreement(context: BrowserContext, criterion: string) {
  const answer = await context.request.get(`${server.origin}/p/mtrag/agreement.json`);
  expect(answer.status()).toBe(200);
  const report = await answer.json();
  const found = report.criteria.find((one: { id: string }) => one.id === criterion);
  return found?.pairs.find((pair: { a: string; b: string }) => pair.a === "ada" && pair.b === "ben");
}

const REFUSED_PAGES = ["", "/agreement", "/agreement/pair?criterion=faithfulness&a=ada&b=ben", "/compare", "/compare/failures", "/diagnose", "/gate", "/people"];
const REFUSED_FILES = ["/agreement.json", "/agreement.csv", "/compare.json", "/compare.csv", "/diagnose.json", "/diagnose.csv"];
const REFUSED_CALLS = ["load_home", "load_agreement", "load_comparison", "load_ledger", "load_diagnosis", "load_gate", "load_people"];

/** An annotator reads no figures behind any door. */
async function isKeptOut(context: BrowserContext, page: Page): Promise<void> {
  for (const address of REFUSED_PAGES) {
    const answer = await page.goto(`${server.origin}/p/mtrag${address}`);
    expect(answer?.status(), address).toBe(403);
    await expect(page.getByRole("heading", { name: "Not allowed" })).toBeVisible();
  }
  for (const address of REFUSED_FILES) {
    expect((await context.request.get(`${server.origin}/p/mtrag${address}`)).status(), address).toBe(403);
  }
  for (const name of REFUSED_CALLS) expect((await ask(context, server.origin, name, { project: "mtrag" })).status, name).toBe(403);
}

test.describe("two annotators and an engineer", () => {
  // What is refused is said in the console as well.
  test.use({ expected: [/status of 403/] });

  test("label ten conversations unseen by each other, and agree as computed by hand", async ({ browser, open }) => {
    const admin = await browser.newContext();
    const people = await open(admin);
    await signUp(people, server.adminLink, "Root");
    await expect(people.getByRole("link", { name: "mtrag" })).toBeVisible();
    await people.goto(`${server.origin}/p/mtrag/people`);
    await people.getByLabel("Overlap").fill("3");
    await people.getByRole("button", { name: "Set", exact: true }).click();
    const links = [await invite(people, "annotator"), await invite(people, "annotator"), await invite(people, "engineer")];
    expect(new Set(links).size).toBe(3);

    const contexts = await Promise.all(["Ada", "Ben", "Eve"].map(() => browser.newContext()));
    const pages = await Promise.all(contexts.map((context) => open(context)));
    for (const [index, name] of ["Ada", "Ben", "Eve"].entries()) {
      await signUp(pages[index]!, links[index]!, name);
      await expect(pages[index]!).toHaveURL(/\/p\/mtrag\/label$/);
      await expect(pages[index]!.locator(".question")).toBeVisible();
    }
    const [adas, bens, eves] = contexts as [BrowserContext, BrowserContext, BrowserContext];
    const [first, second, third] = pages as [Page, Page, Page];

    // Ada is done with all ten before Ben has submitted any; Eve, an engineer, keeps the first one open, and has the second at hand.
    await first.reload();
    await label(first, ada, 0, CONVERSATIONS);
    await second.reload();
    await answer(second, CRITERIA.map((_, criterion) => ben(0, criterion)));
    const desk = (await ask(bens, server.origin, "load_desk", { project: "mtrag" })).answer;
    expect(desk.task.answers.map((one: { value: number }) => one.value)).toEqual(CRITERIA.map((_, criterion) => ben(0, criterion)));
    await isKeptOut(adas, first);
    await isKeptOut(bens, await open(bens));
    expect(await agreement(eves, "faithfulness"), "nothing that both have submitted").toBeUndefined();
    await second.keyboard.press("Enter");
    await label(second, ben, 1, CONVERSATIONS);

    for (const [index, criterion] of CRITERIA.entries()) {
      const sealed = await agreement(eves, criterion);
      expect(sealed.n, "the two conversations on Eve's desk are sealed to her").toBe(CONVERSATIONS - 2);
      expect(sealed.quadratic.value).toBeCloseTo(kappa(index, [0, 1]), 9);
      const all = await agreement(admin, criterion);
      expect(all.n).toBe(CONVERSATIONS);
      expect(all.quadratic.value).toBeCloseTo(kappa(index), 9);
      await people.goto(`${server.origin}/p/mtrag/agreement?criterion=${criterion}`);
      const row = people.getByRole("region", { name: "Agreement by pair" }).getByRole("row", { name: /ada and ben/ });
      const shown = Number(await row.locator("data").first().getAttribute("value"));
      expect(shown).toBeCloseTo(kappa(index), 9);
    }
    await people.goto(`${server.origin}/p/mtrag/agreement/pair?criterion=faithfulness&a=ada&b=ben`);
    await expect(people.getByRole("region", { name: "Items" }).getByRole("row")).toHaveCount(CONVERSATIONS + 1);

    await third.reload();
    await answer(third, [1, 2, 3, 4]);
    const ahead = third.waitForResponse((response) => response.url().endsWith("/rpc/load_ahead"));
    await third.keyboard.press("Enter");
    await expect(third.locator(".status-line")).toContainText("1 of 477");
    await (await ahead).finished();
    const next = await agreement(eves, "faithfulness");
    expect(next.quadratic.value, "the first is open to her once she has submitted it, and the next two are sealed").toBeCloseTo(kappa(0, [1, 2]), 9);
    for (const context of [admin, ...contexts]) await context.close();
  });

  test("strangers are shown the way in, and nothing else", async ({ page, request }) => {
    for (const address of ["/", "/account", ...[...REFUSED_PAGES, "/label"].map((rest) => `/p/mtrag${rest}`)]) {
      await page.goto(`${server.origin}${address}`);
      await expect(page).toHaveURL(`${server.origin}/sign-in?next=${encodeURIComponent(address)}`);
    }
    for (const address of REFUSED_FILES) {
      expect((await request.get(`${server.origin}/p/mtrag${address}`)).status(), address).toBe(401);
    }
  });
});
