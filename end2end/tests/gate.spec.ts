// A release, with and without JavaScript: a HOLD is read, the threshold that did not move is re-anchored, the judge is promoted and rolled
// back, and the log has it all.
import { member } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { accessible, expect, fits, scripted, test } from "../fixtures/test";

const RUBRIC = `
name = "desk"
version = 1
[[scale]]
id = "five"
kind = "ordinal"
levels = [{ value = 1, name = "bad" }, { value = 2, name = "poor" }, { value = 3, name = "fair" }, { value = 4, name = "good" }, { value = 5, name = "great" }]
relevant_from = 3
[[criterion]]
id = "helpful"
component = "generation"
unit = "conversation"
scale = "five"
question = "Does it help?"
`;

const POLICY = `name = "upgrade"
criteria = ["helpful"]
[rules]
minimum_n = 20
kappa_at_least = { value = 0.3, on = "point" }
mean_shift = 0.05
`;

const ITEMS = [...Array(60).keys()];
const truth = (item: number): number => ((item * 7 + Math.floor(item / 5)) % 5) + 1;

const CONVERSATIONS = ITEMS.map((item) => JSON.stringify({ id: `c${item}`, question: `Where is order ${item}?`, answer: { text: "On its way." } })).join("\n");
const LABELS = ["annotator,conversation,criterion,value", ...ITEMS.flatMap((item) => ["ada", "ben", "cyd"].map((who) => `${who},c${item},helpful,${truth(item)}`))].join("\n");
// `new` says one level more than people, `old` what they say.
const VERDICTS = [
  "judge,model,conversation,unit,criterion,value",
  ...ITEMS.flatMap((item) => [
    `old,m-2026-01-01,c${item},conversation,helpful,${truth(item)}`,
    `new,m-2026-08-01,c${item},conversation,helpful,${Math.min(truth(item) + 1, 5)}`,
  ]),
].join("\n");

let server: Server;
test.beforeAll(async () => {
  server = await Server.start();
});
test.afterAll(async () => {
  await server.stop();
});

/** A project with a judge that scores higher than the one before, and a frozen set. */
function shifted(): string {
  const project = server.project("release", RUBRIC, CONVERSATIONS);
  server.done("import", "labels", "--project", project, server.file("labels.csv", LABELS));
  server.done("import", "verdicts", "--project", project, server.file("verdicts.csv", VERDICTS));
  server.done("anchor-set", "freeze", "--project", project, "gold", "--confirm", "0.5");
  return project;
}

test("a release owner reads a HOLD, moves the threshold, promotes, and rolls back", async ({ browser, open }) => {
  const project = shifted();
  const lead = await member(browser, server, project, "lead", `rel-${project}`);
  const context = await browser.newContext({ baseURL: server.origin, javaScriptEnabled: scripted(), storageState: await lead.storageState() });
  const page = await open(context);

  const decide = async (policy: string | null): Promise<void> => {
    await page.goto(`/p/${project}/gate`);
    await page.getByLabel("Candidate").selectOption("new");
    await page.getByLabel("Incumbent").selectOption("old");
    await page.getByLabel("Reference", { exact: true }).selectOption("gold@1 confirm");
    await page.getByLabel("Why confirm is opened").fill("the August model");
    if (policy !== null) {
      await page.getByLabel("Policy (TOML)").fill(policy);
      await page.getByLabel(/Keep it as the next version/).check();
    }
    await page.getByRole("button", { name: "Decide" }).click();
    await expect(page).toHaveURL(/\/gate\/[0-9a-f-]+$/);
  };

  await decide(POLICY);
  await expect(page.locator(".word")).toHaveText("HOLD");
  await expect(page.locator(".reasons")).toContainText("of the range, away from people");
  const decision = page.url();
  const shift = page.getByRole("row", { name: /mean shift/ });
  await expect(shift).toContainText("✗ fail");
  if (scripted()) await accessible(page, "decision");
  await fits(page, "decision");
  // The rule opens the candidate's items on the same split, held against the incumbent; three that it loses are read.
  await shift.getByRole("link", { name: "helpful" }).click();
  await expect(page).toHaveURL(/\/compare\/judge\?judge=new&criterion=helpful&against=old&reference=gold%401%20confirm/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("new");
  await page.getByRole("navigation", { name: "Outcome" }).getByRole("link", { name: /^lost \d+/ }).click();
  await expect(page).toHaveURL(/outcome=lost/);
  for (const index of [0, 1, 2]) {
    const lost = page.locator(".ledger > li").nth(index);
    await expect(lost.locator(".tag")).toHaveText("lost");
    await lost.getByText("Question and text").click();
    await expect(lost.locator("details .text").first()).toBeVisible();
    await expect(lost.getByRole("heading", { name: "People" })).toBeVisible();
  }
  if (scripted()) await accessible(page, "judge");
  await fits(page, "judge");
  await page.goto(decision);

  await page.getByRole("link", { name: "Re-anchor the threshold" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Pass threshold");
  await expect(page.getByRole("row", { name: /from 4/ })).toContainText("proposed");
  await expect(page.getByRole("row", { name: /from 3/ })).toContainText("now");
  if (scripted()) await accessible(page, "threshold");
  await fits(page, "threshold");
  await page.getByLabel("Reason").fill("the August model scores one level higher");
  await page.getByRole("button", { name: "Accept this threshold" }).click();
  await expect(page).toHaveURL(/\/gate$/);

  // The policy was kept: it stands in the form.
  await expect(page.getByLabel("Policy (TOML)")).toHaveValue(POLICY);
  await decide(null);
  await expect(page.locator(".word")).toHaveText("PROMOTE");
  await page.getByLabel("Purpose").selectOption("release");
  await page.getByLabel("Reason", { exact: true }).fill("no worse, at half the price");
  await page.getByRole("button", { name: "Promote" }).click();
  await expect(page).toHaveURL(/\/gate$/);
  const slots = page.getByRole("region", { name: "Slots" });
  await expect(slots).toContainText("new@1");
  await expect(slots.getByRole("row", { name: /helpful/ })).toContainText("4");

  await page.locator("summary", { hasText: "Roll back" }).click();
  await page.getByLabel("Reason", { exact: true }).fill("it drifts");
  await page.getByRole("button", { name: "Roll back" }).click();
  await expect(page.getByRole("region", { name: "Slots" })).toContainText("nothing");

  const log = page.getByRole("region", { name: "Log" });
  for (const what of ["roll-back", "promotion", "threshold", "policy", "it drifts", "no worse, at half the price", "one level higher", "look 2", "the August model"]) {
    await expect(log).toContainText(what);
  }
  await expect(log.getByRole("link", { name: "HOLD" })).toBeVisible();
  await expect(log.getByRole("link", { name: "PROMOTE" })).toBeVisible();
  if (scripted()) await accessible(page, "gate");
  await fits(page, "gate");
});

test("an engineer reads the gate and changes nothing", async ({ browser, open }) => {
  const project = shifted();
  const engineer = await member(browser, server, project, "engineer", `eng-${project}`);
  const page = await open(await browser.newContext({ baseURL: server.origin, javaScriptEnabled: scripted(), storageState: await engineer.storageState() }));
  await page.goto(`/p/${project}/threshold?judge=new&criterion=helpful`);
  await expect(page.getByRole("region", { name: "Thresholds" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Accept this threshold" })).toHaveCount(0);
});
