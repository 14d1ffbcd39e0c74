// Who labels what, with and without JavaScript: batches by stratum, by list and of the rest, people who come and go, places that are given back.
import { spawnSync } from "node:child_process";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { ask, member } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { accessible, expect, fits, scripted, test } from "../fixtures/test";

const RUBRIC = `
name = "rounds"
version = 1
[[scale]]
id = "two"
kind = "binary"
levels = [{ value = 0, name = "no" }, { value = 1, name = "yes" }]
[[criterion]]
id = "helpful"
component = "generation"
unit = "conversation"
scale = "two"
question = "Does it help?"
required = true
`;

const CONVERSATIONS = ["policy-1", "policy-2", "policy-3", "tool-1", "tool-2", "edge-1"]
  .map((id) => JSON.stringify({ id, category: id.split("-")[0], question: `Question ${id}?`, answer: { text: "Yes." } }))
  .join("\n");

let server: Server;
test.beforeAll(async () => {
  server = await Server.start();
});
test.afterAll(async () => {
  await server.stop();
});

interface Round {
  project: string;
  page: Page;
  ada: BrowserContext;
  ben: BrowserContext;
  name: (who: string) => string;
}

/** The assignments page of a lead of a new project with two annotators. */
async function round({ browser, open }: { browser: Browser; open: (context: BrowserContext) => Promise<Page> }): Promise<Round> {
  const project = server.project("rounds", RUBRIC, CONVERSATIONS);
  const name = (who: string) => `${who}-${project}`;
  const lead = await member(browser, server, project, "lead", name("lea"));
  const ada = await member(browser, server, project, "annotator", name("ada"));
  const ben = await member(browser, server, project, "annotator", name("ben"));
  const context = await browser.newContext({ baseURL: server.origin, javaScriptEnabled: scripted(), storageState: await lead.storageState() });
  const page = await open(context);
  await page.goto(`/p/${project}/assignments`);
  return { project, page, ada, ben, name };
}

interface Batch {
  name: string;
  people: string;
  how: string;
  each?: string;
  list?: string;
  annotators?: string;
}

async function assign(page: Page, batch: Batch) {
  const form = page.getByRole("region", { name: "New batch" });
  await form.getByLabel("Name").fill(batch.name);
  await form.getByLabel("People").fill(batch.people);
  await form.getByLabel("Annotators for each conversation").fill(batch.annotators ?? "");
  await form.getByLabel("Conversations", { exact: true }).selectOption(batch.how);
  await form.getByLabel("Of each").fill(batch.each ?? "");
  await form.getByLabel("List", { exact: true }).fill(batch.list ?? "");
  await form.getByRole("button", { name: "Assign" }).click();
}

const next = async (context: BrowserContext, project: string) => (await ask(context, server.origin, "load_desk", { project })).answer.task?.conversation;

test.describe("a lead", () => {
  // What is refused is said in the console too.
  test.use({ expected: [/status of 4(04|09|22)/] });

  test("gives out by stratum, by list and the rest, and closes a batch", async ({ browser, open }) => {
    const { project, page, ada, name } = await round({ browser, open });
    await expect(page.getByText("There are no batches")).toBeVisible();
    await assign(page, { name: "two of each", people: `${name("ada")}, ${name("ben")}`, how: "category", each: "2" });
    await expect(page.getByText("0 of 5 conversations have 2 annotators.")).toBeVisible();
    await expect(page.getByRole("table", { name: "People of two of each" }).getByRole("row")).toHaveCount(3);

    await assign(page, { name: "listed", people: name("ada"), how: "list", list: "policy-1, nowhere" });
    await expect(page.getByRole("alert").filter({ hasText: "This was not taken" })).toContainText("nowhere");
    await assign(page, { name: "listed", people: name("ada"), how: "list", list: "policy-1", annotators: "1" });
    await expect(page.getByText("0 of 1 conversations have 1 annotators.")).toBeVisible();

    await assign(page, { name: "rest", people: name("ben"), how: "rest" });
    await expect(page.getByRole("heading", { level: 3 })).toHaveText([/^two of each/, /^listed/, /^rest/]);

    await page.getByRole("button", { name: "Close two of each" }).click();
    await expect(page.getByRole("heading", { name: /two of each/ }).getByText("closed")).toBeVisible();
    await expect(page.getByRole("button", { name: "Close two of each" })).toHaveCount(0);
    // What is left for Ada is what the list holds.
    expect(await next(ada, project)).toBe("policy-1");
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await fits(page, `assignments at ${width}`);
      if (scripted()) await accessible(page, `assignments at ${width}`);
    }
  });

  test("takes a person out half way and in again; nothing that was done is lost", async ({ browser, open }) => {
    const { project, page, ada, name } = await round({ browser, open });
    await assign(page, { name: "pair", people: `${name("ada")}, ${name("ben")}`, how: "list", list: "policy-1, policy-2" });
    await expect(page.getByText("0 of 2 conversations have 2 annotators.")).toBeVisible();
    const first = await next(ada, project);
    const user = (await ask(ada, server.origin, "load_desk", { project })).answer.user;
    const answer = { conversation: first, unit: "conversation", criterion: "helpful", value: 1, comment: null, flag: false, seconds: 2, rubric_version: 1, supersedes: null, client_key: "one" };
    expect((await ask(ada, server.origin, "save_answer", { project, user, answer: answer as never })).status).toBe(200);
    expect((await ask(ada, server.origin, "submit_conversation", { project, user, conversation: first })).status).toBe(200);

    await page.getByRole("button", { name: `Take out: ${name("ada")} (pair)` }).click();
    const row = page.getByRole("table", { name: "People of pair" }).getByRole("row", { name: new RegExp(name("ada")) });
    await expect(row).toContainText("taken out");
    await expect(row).toContainText("1 of 2");
    expect(await next(ada, project), "nothing more is given out").toBeUndefined();
    await page.getByRole("button", { name: `Take in again: ${name("ada")} (pair)` }).click();
    await expect(row.getByText("taken out")).toHaveCount(0);
    expect(await next(ada, project)).toBeDefined();

    await page.getByLabel("Account to take into pair").fill("nobody");
    await page.getByRole("button", { name: "Take in (pair)" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "This was not taken" })).toContainText("nobody");
    await expect(page.getByRole("table", { name: "How far and how fast" }).getByRole("row", { name: new RegExp(name("ada")) })).toContainText("1");
  });

  test("sets how long places are kept; a place that nobody uses goes to somebody else", async ({ browser, open }) => {
    const { project, page, ada, ben, name } = await round({ browser, open });
    await assign(page, { name: "one", people: `${name("ada")}, ${name("ben")}`, how: "list", list: "edge-1", annotators: "1" });
    await expect(page.getByText("0 of 1 conversations have 1 annotators.")).toBeVisible();
    const rules = page.getByRole("region", { name: "Rules" });
    await rules.getByLabel("Hours that a place is kept").fill("0");
    await rules.getByRole("button", { name: "Set" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "This was not taken" })).toBeVisible();
    await rules.getByLabel("Hours that a place is kept").fill("1");
    await rules.getByRole("button", { name: "Set" }).click();
    await expect(page.getByRole("alert")).toHaveCount(0);
    await page.reload();
    await expect(rules.getByLabel("Hours that a place is kept")).toHaveValue("1");

    expect(await next(ada, project)).toBe("edge-1");
    expect(await next(ben, project), "Ada has the place").toBeUndefined();
    // Two hours pass in which Ada does nothing.
    await server.kill();
    const past = "import sqlite3; d = sqlite3.connect('touchstone.db'); d.execute('update assignment set reserved_at = reserved_at - 7200000'); d.commit()";
    expect(spawnSync("python3", ["-c", past], { cwd: server.folder, encoding: "utf8" })).toMatchObject({ status: 0 });
    await server.serve();
    expect(await next(ben, project), "the place has come back").toBe("edge-1");
    await page.reload();
    const pace = page.getByRole("table", { name: "How far and how fast" });
    for (const who of ["ada", "ben"]) await expect(pace.getByRole("row", { name: new RegExp(name(who)) })).toBeVisible();
  });
});
