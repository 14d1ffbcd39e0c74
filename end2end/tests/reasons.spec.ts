// The reasons of a judge as an annotator grades them: after the own answer to the same question, one after another, some left for later.
import type { Page } from "@playwright/test";
import { member } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { accessible, expect, fits, scripted, test } from "../fixtures/test";

// A grade without an answer is refused, and the console says so.
test.use({ expected: [/status of 422/] });

const LEVELS = '[{ value = 1, name = "no" }, { value = 2, name = "rather no" }, { value = 3, name = "rather yes" }, { value = 4, name = "yes" }]';
const criterion = (id: string, unit: string, question: string) =>
  `[[criterion]]\nid = "${id}"\ncomponent = "generation"\nunit = "${unit}"\nscale = "four"\nquestion = "${question}"\nrequired = true\n`;
const RUBRIC = `name = "reasons"\nversion = 1\n[[scale]]\nid = "four"\nkind = "ordinal"\nlevels = ${LEVELS}\n${criterion("helpful", "conversation", "Does it help?")}${criterion("coherent", "justification", "Does the reason carry the score?")}`;
const CONVERSATIONS = ["first", "second"].map((id) => JSON.stringify({ id, question: `The ${id} question?`, answer: { text: "Yes." } })).join("\n");
const VERDICTS = `judge,conversation,unit,criterion,value,reason
why,first,conversation,helpful,4,"<b>It says</b> where the first is. <script>document.title = 'taken'</script>"
why,second,conversation,helpful,1,It does not say where the second is.
`;

let server: Server;
test.beforeAll(async () => {
  server = await Server.start();
});
test.afterAll(async () => {
  await server.stop();
});

/** Answers the conversation on the desk and submits it. */
async function answer(page: Page): Promise<void> {
  if (scripted()) {
    await page.keyboard.press("2");
    await page.keyboard.press("Enter");
  } else {
    await page.locator('.plain-form input[value="2"]').check();
    await page.getByRole("button", { name: "Save all and submit" }).click();
  }
}

test("a judge's reason is read after the own answer, and graded", async ({ browser, open }) => {
  const project = server.project("reasons", RUBRIC, CONVERSATIONS);
  server.done("import", "verdicts", "--project", project, server.file("why.csv", VERDICTS));
  const nora = await member(browser, server, project, "annotator", `nora-${project}-${scripted()}`);
  const context = await browser.newContext({ baseURL: server.origin, javaScriptEnabled: scripted(), storageState: await nora.storageState() });
  const page = await open(context);
  const reasons = `/p/${project}/reasons`;

  await page.goto(reasons);
  await expect(page.getByRole("heading", { name: "No reason is left for you" })).toBeVisible();
  await expect(page.locator("main")).not.toContainText("It says");
  if (scripted()) await accessible(page, "no reason");

  await page.goto(`/p/${project}/label`);
  const question = page.locator("#asked");
  const first = await question.innerText();
  await answer(page);
  await expect(question).not.toHaveText(first);
  await answer(page);
  await expect(page.getByRole("heading", { name: "Nothing is left for you" })).toBeVisible();

  await page.goto(reasons);
  const its = page.getByRole("complementary", { name: "Grade" });
  const text = await its.innerText();
  expect(text).toMatch(/A judge said: (4 · yes|1 · no)/);
  expect(text, "whoever reads it is not told whose it is").not.toContain("why@");
  await fits(page, "a reason");
  if (scripted()) await accessible(page, "a reason");

  await page.getByRole("button", { name: "Save and next" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "This was not taken" })).toContainText("`coherent` has no answer yet");

  await page.goto(reasons);
  await page.getByRole("link", { name: "Leave it for later" }).click();
  await expect(its).not.toContainText(/It says|It does not say/.exec(text)?.[0] ?? "nothing");
  for (const graded of ["1 grade given.", "2 grades given."]) {
    await its.getByRole("radio", { name: /rather yes/ }).check();
    await its.getByRole("button", { name: "Save and next" }).click();
    await expect(page.getByRole("status").filter({ hasText: graded })).toBeVisible();
    if (graded.startsWith("1")) await page.goto(reasons);
  }
  await expect(page.getByRole("heading", { name: "No reason is left for you" })).toBeVisible();
  await expect(page).toHaveTitle(/Reasons of judges/);

  const [judge] = JSON.parse(server.done("judge", "list", "--project", project, "--json").out);
  expect(judge.grades).toMatchObject([{ criterion: "coherent", grade: { value: 3, n: 2 }, people: 1 }]);
  await context.close();
  await nora.close();
});
