// Anchor sets, with and without JavaScript: drawn, previewed, frozen, exported, and the next version beside the first.
import { member } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { accessible, expect, fits, ready, scripted, test } from "../fixtures/test";

const RUBRIC = `
name = "frozen"
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
`;

const IDS = Array.from({ length: 12 }, (_, number) => `c${number}`);
const CONVERSATIONS = IDS.map((id) => JSON.stringify({ id, question: `Where is ${id}?`, answer: { text: "On its way." } })).join("\n");
const LABELS = ["annotator,conversation,criterion,value", ...IDS.map((id, number) => `ada,${id},helpful,${number % 2}`)].join("\n");

let server: Server;
test.beforeAll(async () => {
  server = await Server.start();
});
test.afterAll(async () => {
  await server.stop();
});

test("an engineer draws a set, freezes it, and takes its file", async ({ browser, open }) => {
  const project = server.project("frozen", RUBRIC, CONVERSATIONS);
  server.done("import", "labels", "--project", project, server.file("labels.csv", LABELS));
  const page = await open(await member(browser, server, project, "engineer", "Emil"));
  await page.goto(`/p/${project}/anchor-sets`);
  await expect(page.getByText("No set is frozen yet")).toBeVisible();
  for (const version of [1, 2]) {
    await page.goto(`/p/${project}/anchor-sets`);
    await page.getByLabel("Name").fill("gold");
    await page.getByLabel("At most so many items").fill(version === 1 ? "8" : "10");
    await page.getByLabel("Owner").fill("quality");
    await page.getByRole("button", { name: "Preview" }).click();
    await expect(page.getByRole("heading", { name: `gold@${version} would have` })).toBeVisible();
    await ready(page);
    if (scripted()) await accessible(page);
    await fits(page);
    await page.getByRole("button", { name: "Freeze" }).click();
    await expect(page.getByRole("heading", { level: 1, name: `gold@${version}` })).toBeVisible();
  }
  await expect(page.getByText("2 added")).toBeVisible();
  if (scripted()) await accessible(page);
  await fits(page);
  const file = await page.request.get(`/p/${project}/anchor-sets/gold@1/file`);
  expect(JSON.parse(await file.text()).items).toHaveLength(8);
  server.done("anchor-set", "verify", server.file("gold.json", await file.text()));

  await page.goto(`/p/${project}/anchor-sets?name=gold&size=none`);
  await expect(page.getByText("expected a number")).toBeVisible();
});
