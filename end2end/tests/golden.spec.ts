// Real conversations, labels and verdicts: the pages show what independent packages compute, to nine digits.
import { readFileSync } from "node:fs";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { member } from "../fixtures/people";
import { Server, data } from "../fixtures/server";
import { expect, scripted, test } from "../fixtures/test";

test.describe.configure({ timeout: 180_000 });

let server: Server;
test.beforeAll(async () => {
  server = await Server.start();
});
test.afterAll(async () => {
  await server.stop();
});

/** Imports all that is there of a data set, and gives its right values. */
function imported(set: string, kinds: string[]) {
  test.skip(scripted(), "figures are the same with a program in the page");
  const folder = data(set);
  test.skip(folder === undefined, `the ${set} conversations are not there`);
  server.done("project", "create", set, "--rubric", `${folder}/rubric.toml`);
  for (const kind of kinds) server.done("import", kind, "--project", set, `${folder}/${kind}.${kind === "conversations" ? "jsonl" : "csv"}`);
  return JSON.parse(readFileSync(`${folder}/golden.json`, "utf8"));
}

/** A page of an engineer of the project. */
async function opened(browser: Browser, open: (context: BrowserContext) => Promise<Page>, project: string): Promise<Page> {
  return open(await member(browser, server, project, "engineer", `reader of ${project}`));
}

/** Every figure of the page by its name. */
async function figures(page: Page): Promise<Map<string, number>> {
  return new Map(
    await page.locator("button.figure").evaluateAll((buttons) =>
      buttons.map((button): [string, number] => {
        const how = document.getElementById(button.getAttribute("popovertarget") ?? "");
        return [how?.querySelector("strong")?.textContent ?? "", Number(button.querySelector("data")?.value ?? NaN)];
      }),
    ),
  );
}

test("people of mtrag", async ({ browser, open }) => {
  const golden = imported("mtrag", ["conversations", "labels"]);
  const page = await opened(browser, open, "mtrag");
  let compared = 0;
  for (const [criterion, expected] of Object.entries<any>(golden.humans)) {
    await page.goto(`/p/mtrag/agreement?criterion=${criterion}`);
    const found = await figures(page);
    for (const level of ["nominal", "ordinal", "interval"]) {
      expect(found.get(`Krippendorff's α, ${level}`), `${criterion} ${level}`).toBeCloseTo(expected.alpha.all[level], 9);
    }
    for (const pair of expected.pairs) {
      const names = { quadratic: "κ quadratic", linear: "κ linear", unweighted: "κ unweighted", exact: "exact agreement", within_one: "agreement within one level" };
      for (const [measure, name] of Object.entries(names)) {
        expect(found.get(`${name}: ${pair.a} and ${pair.b}`), `${criterion} ${pair.a} ${pair.b} ${measure}`).toBeCloseTo(pair[measure], 9);
        compared++;
      }
    }
  }
  expect(compared).toBe(4 * 15 * 5);
});

test("judges of summeval", async ({ browser, open }) => {
  const golden = imported("summeval", ["conversations", "labels", "verdicts"]);
  server.done("reference", "build", "--project", "summeval", "--rule", "median", "--annotators", "expert0,expert1,expert2");
  const page = await opened(browser, open, "summeval");
  let compared = 0;
  for (const criterion of ["coherence", "consistency", "fluency", "relevance"]) {
    await page.goto(`/p/summeval/compare?criterion=${criterion}`);
    const found = await figures(page);
    for (const [judge, criteria] of Object.entries<any>(golden.judges)) {
      const expected = criteria[criterion];
      expect(found.get(`κ of ${judge}`), `${judge} ${criterion} κ`).toBeCloseTo(expected.quadratic, 9);
      expect(found.get(`Bias of ${judge}`), `${judge} ${criterion} bias`).toBeCloseTo(expected.bias_judge_minus_reference, 9);
      expect(found.get(`Mean absolute error of ${judge}`), `${judge} ${criterion} MAE`).toBeCloseTo(expected.mae, 9);
      compared++;
    }
  }
  expect(compared).toBe(36);
  await page.goto("/p/summeval/compare/failures");
  await expect(page.locator(".ledger-entry")).toHaveCount(296);
});
