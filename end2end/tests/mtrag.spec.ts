// Real conversations all the way through the pages: given out, labelled by two people who have never seen them, adjudicated, exported and taken
// in elsewhere without a change.
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { member } from "../fixtures/people";
import { Server, data } from "../fixtures/server";
import { expect, scripted, test } from "../fixtures/test";

test.describe.configure({ timeout: 400_000 });

const FOLDER = data("mtrag");
const CRITERIA = ["faithfulness", "appropriateness", "completeness", "naturalness"] as const;
const PEOPLE = ["nora", "omar"] as const;

let server: Server;
test.beforeAll(async () => {
  server = await Server.start();
});
test.afterAll(async () => {
  await server.stop();
});

/** What a person says of the criteria of a conversation: Omar finds long questions answered less naturally. */
function said(person: string, question: string): number[] {
  const naturalness = person === "omar" && question.trim().length > 60 ? 2 : 3;
  return [4, 3, 4, naturalness];
}

async function desk(browser: Browser, open: (context: BrowserContext) => Promise<Page>, context: BrowserContext, address: string): Promise<Page> {
  const page = await open(await browser.newContext({ baseURL: server.origin, javaScriptEnabled: scripted(), storageState: await context.storageState() }));
  await page.goto(address);
  return page;
}

/** Labels the conversation on the desk, and gives its question. */
async function label(page: Page, person: string): Promise<string> {
  const question = await page.locator("#asked").innerText();
  const values = said(person, question);
  if (scripted()) {
    for (const value of values) await page.keyboard.press(`${value}`);
    await page.keyboard.press("Enter");
  } else {
    const groups = page.locator(".plain-form fieldset");
    for (const [index, value] of values.entries()) await groups.nth(index).locator(`input[value="${value}"]`).check();
    await page.getByRole("button", { name: "Save all and submit" }).click();
  }
  return question;
}

test("twenty conversations of mtrag are labelled, decided and taken elsewhere", async ({ browser, open }) => {
  test.skip(FOLDER === undefined, "the mtrag conversations are not there");
  const rubric = readFileSync(`${FOLDER}/rubric.toml`, "utf8");
  const conversations = readFileSync(`${FOLDER}/conversations.jsonl`, "utf8");
  const project = server.project("mtrag", rubric, conversations);
  const lead = await member(browser, server, project, "lead", "lea");
  const people = new Map<string, BrowserContext>();
  for (const person of PEOPLE) people.set(person, await member(browser, server, project, "annotator", person));

  const assignments = await desk(browser, open, lead, `/p/${project}/assignments`);
  const batch = assignments.getByRole("region", { name: "New batch" });
  await batch.getByLabel("Name").fill("first twenty");
  await batch.getByLabel("People").fill(PEOPLE.join(", "));
  await batch.getByLabel("Conversations", { exact: true }).selectOption("corpus");
  await batch.getByLabel("Of each").fill("5");
  await batch.getByRole("button", { name: "Assign" }).click();
  await expect(assignments.getByText("0 of 20 conversations have 2 annotators.")).toBeVisible();

  const asked = new Map<string, string[]>();
  for (const [person, context] of people) {
    const page = await desk(browser, open, context, `/p/${project}/label`);
    const questions: string[] = [];
    for (let done = 0; done < 20; done++) {
      await expect(page.locator(".status-line")).toContainText(`${done} of 20`);
      questions.push(await label(page, person));
    }
    await expect(page.getByRole("heading", { name: "Nothing is left for you" })).toBeVisible();
    if (scripted()) await expect(page.getByText("You submitted 20 and skipped 0.")).toBeVisible();
    asked.set(person, questions.sort());
  }
  expect(asked.get("nora"), "both were given the same").toEqual(asked.get("omar"));
  await assignments.reload();
  await expect(assignments.getByText("20 of 20 conversations have 2 annotators.")).toBeVisible();

  const apart = (asked.get("omar") ?? []).filter((question) => said("omar", question)[3] !== said("nora", question)[3]).length;
  expect(apart).toBeGreaterThan(2);
  const adjudication = await desk(browser, open, lead, `/p/${project}/adjudicate`);
  for (let decided = 0; decided < apart; decided++) {
    await expect(adjudication.getByText(`1 of ${apart - decided} to decide. ${decided} decided.`)).toBeVisible();
    await adjudication.getByRole("radio", { name: /Mostly yes/ }).check();
    await adjudication.getByLabel("Why people did not agree").selectOption("slip");
    await adjudication.getByRole("button", { name: "Decide and next" }).click();
  }
  await expect(adjudication.getByRole("heading", { name: "Nothing is left to decide" })).toBeVisible();

  const built = server.done("reference", "build", "--project", project, "--rule", "adjudicated");
  expect(built.err).toContain(`${20 * CRITERIA.length} references by adjudicated; 0 items have none`);
  const exported = server.done("reference", "export", "--project", project).out;
  const provenance = [...exported.matchAll(/"provenance":"(\w+)"/g)].map((found) => found[1]);
  expect(provenance.filter((how) => how === "adjudicated")).toHaveLength(apart);
  expect(provenance.filter((how) => how === "unanimous")).toHaveLength(20 * CRITERIA.length - apart);

  const file = server.file("references.json", exported);
  const elsewhere = server.project("mtrag-elsewhere", rubric, conversations);
  for (const project of [elsewhere, elsewhere]) server.done("reference", "import", "--project", project, file);
  expect(server.done("reference", "export", "--project", elsewhere).out).toBe(exported);
});
