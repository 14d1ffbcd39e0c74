// A power cut in the middle of labelling.
import { ask, member } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { expect, test } from "../fixtures/test";

interface Stored {
  unit: string;
  criterion: string;
  value: number | null;
}

// The page says in words that the server is away; the browser says it in the console too.
test.use({ expected: [/ERR_CONNECTION|ERR_INTERNET_DISCONNECTED|ERR_EMPTY_RESPONSE|Failed to fetch/] });

test("every answer that was called saved is there after the restart, once", async ({ browser, open }) => {
  const server = await Server.start({ demo: true });
  const context = await member(browser, server, "demo", "annotator", "ada-who-labels");
  const page = await open(context);
  await page.goto(`${server.origin}/p/demo/label`);
  const before = Number(JSON.parse(server.done("doctor", "--json").out).rows.labels);

  // What the server has confirmed, as the page reads it. The cut comes with the third answer, while others are on their way.
  const confirmed: Stored[] = [];
  const cut = new Promise<void>((done, failed) => {
    page.on("response", async (response) => {
      if (!response.url().endsWith("/rpc/save_answer") || !response.ok()) return;
      const { answer } = response.request().postDataJSON();
      confirmed.push({ unit: answer.unit, criterion: answer.criterion, value: answer.value });
      if (confirmed.length === 3) server.kill().then(done, failed);
    });
  });
  await page.keyboard.type("10111");
  await cut;
  await context.setOffline(true);
  await page.keyboard.type("101");
  await expect(page.locator(".save")).toHaveText(/^Offline, \d waiting$/);
  const acknowledged = [...confirmed];

  await server.serve();
  const read = async (): Promise<Stored[]> => (await ask(context, server.origin, "load_desk", { project: "demo" })).answer.task.answers;
  const same = (one: Stored) => (other: Stored) => other.unit === one.unit && other.criterion === one.criterion && other.value === one.value;
  const kept = await read();
  for (const answer of acknowledged) expect(kept.filter(same(answer)), JSON.stringify(answer)).toHaveLength(1);

  // What was not confirmed goes out by itself once the server is back; what arrived before the cut is not stored again.
  await context.setOffline(false);
  await expect(page.locator(".save")).toHaveText("Saved", { timeout: 20_000 });
  const all = await read();
  expect(all.map((answer) => answer.value)).toEqual([1, 0, 1, 1, 1, 1, 0, 1]);
  const health = JSON.parse(server.done("doctor", "--json").out);
  expect([health.sound, health.rows.labels - before]).toEqual([true, 8]);
  const second = server.run("serve", "--listen", "127.0.0.1:0");
  expect([second.code, second.err]).toEqual([3, expect.stringContaining("touchstone.db")]);
  await context.close();
  await server.stop();
});
