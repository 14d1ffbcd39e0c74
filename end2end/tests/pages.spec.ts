// Every page as every role that sees it otherwise: axe finds nothing, it fits the window, the focus is seen, in light and dark.
// With SHOTS=folder a picture of each is kept there.
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { signUp } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { accessible, expect, fits, scripted, test } from "../fixtures/test";

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];
const SCHEMES = ["light", "dark"] as const;

const PAIR = "criterion=helpfulness&a=ada&b=ben";
const CLAIMS = "illustrative / claims";
const LENIENT = "illustrative / lenient";

type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** Who sees the page, its name, its address, and its status where that is not 200. */
const PAGES: [who: "nobody" | "annotator" | "engineer" | "admin", name: string, address: string, status?: number][] = [
  ["nobody", "sign-in", "/sign-in"],
  ["nobody", "invitation", "INVITATION"],
  ["nobody", "dead invitation", "/invitation/none", 404],
  ["nobody", "not found", "/nowhere", 404],
  ["annotator", "projects", "/"],
  ["annotator", "account", "/account"],
  ["annotator", "label", "/p/demo/label"],
  ["annotator", "not allowed", "/p/demo/gate", 403],
  ["annotator", "no such project", "/p/none/label", 404],
  ["engineer", "home of an engineer", "/p/demo"],
  ["engineer", "gate of an engineer", "/p/demo/gate"],
  ["engineer", "judges", "/p/demo/judges"],
  ["engineer", "bench", "/p/demo/judges/bench?library=relevance-plain"],
  ["engineer", "anchor sets", "/p/demo/anchor-sets"],
  ["engineer", "anchor set drawn", "/p/demo/anchor-sets?name=gold&size=50"],
  ["annotator", "anchor sets not allowed", "/p/demo/anchor-sets", 403],
  ["annotator", "bench not allowed", "/p/demo/judges/bench", 403],
  ["admin", "home", "/p/demo"],
  ["admin", "label of an admin", "/p/demo/label"],
  ["admin", "adjudicate", "/p/demo/adjudicate"],
  ["admin", "adjudicate by judges", "/p/demo/adjudicate?order=judges&place=1"],
  ["admin", "assignments", "/p/demo/assignments"],
  ["annotator", "assignments not allowed", "/p/demo/assignments", 403],
  ["admin", "rubric", "/p/demo/rubric"],
  ["admin", "import", "/p/demo/import"],
  ["annotator", "import not allowed", "/p/demo/import", 403],
  ["annotator", "rubric not allowed", "/p/demo/rubric", 403],
  ["admin", "agreement", "/p/demo/agreement"],
  ["admin", "agreement by category", "/p/demo/agreement?criterion=passage-relevance&by=category"],
  ["admin", "pair", `/p/demo/agreement/pair?${PAIR}`],
  ["admin", "cell of a pair", `/p/demo/agreement/pair?${PAIR}&a_said=4&b_said=4`],
  ["admin", "conversation", "/p/demo/conversation/servicing-01"],
  ["admin", "compare", "/p/demo/compare?criterion=helpfulness"],
  ["admin", "compare with an incumbent", `/p/demo/compare?criterion=helpfulness&rule=median&incumbent=${encodeURIComponent(LENIENT)}`],
  ["admin", "compare with metrics", "/p/demo/compare?criterion=helpfulness&metrics=shown"],
  ["admin", "compare by slices", "/p/demo/compare?criterion=helpfulness&by=category"],
  ["admin", "judge", `/p/demo/compare/judge?criterion=helpfulness&judge=${encodeURIComponent(LENIENT)}&by=category`],
  ["admin", "failures", "/p/demo/compare/failures"],
  ["admin", "diagnose", "/p/demo/diagnose"],
  ["admin", "diagnose by corpus", "/p/demo/diagnose?by=corpus"],
  ["admin", "conversation at its fault", "/p/demo/conversation/shop-08?metric=faithfulness_to_cited"],
  ["admin", "gate", "/p/demo/gate"],
  ["admin", "decision", "/p/demo/gate/DECISION"],
  ["admin", "threshold", `/p/demo/threshold?criterion=helpfulness&judge=${encodeURIComponent(CLAIMS)}`],
  ["admin", "watch", "/p/demo/watch"],
  ["admin", "people", "/p/demo/people"],
  ["admin", "empty home", "/p/empty"],
  ["admin", "empty label", "/p/empty/label", 404],
  ["admin", "empty adjudicate", "/p/empty/adjudicate", 404],
  ["admin", "empty assignments", "/p/empty/assignments"],
  ["admin", "empty agreement", "/p/empty/agreement", 404],
  ["admin", "empty judges", "/p/empty/judges"],
  ["admin", "empty compare", "/p/empty/compare", 404],
  ["admin", "empty diagnose", "/p/empty/diagnose"],
  ["admin", "empty gate", "/p/empty/gate"],
];

// axe walks every pair of text and ground, and the largest pages have thousands.
test.describe.configure({ mode: "parallel", timeout: 300_000 });

let server: Server;
let decision = "";
const sessions = new Map<string, StorageState>();

test.beforeAll(async ({ browser }) => {
  server = await Server.start({ demo: true });
  server.done("project", "create", "empty");
  const policy = server.file("policy.toml", 'name = "promotion"\n[rules]\nminimum_n = 20\nkappa_at_least = 0.4\nnon_inferiority = 0.05\n');
  const gate = server.run("gate", "--project", "demo", "--candidate", CLAIMS, "--incumbent", LENIENT, "--policy", policy, "--json");
  decision = JSON.parse(gate.out).id;
  for (const [who, link] of [["annotator", server.invite("demo", "annotator")], ["engineer", server.invite("demo", "engineer")], ["admin", server.adminLink]] as const) {
    const context = await browser.newContext();
    await signUp(context, link, who);
    sessions.set(who, await context.storageState());
    await context.close();
  }
});
test.afterAll(async () => {
  await server.stop();
});

/** The page as that person sees it. */
async function visit(browser: Browser, open: (context: BrowserContext) => Promise<Page>, who: string, address: string, status = 200): Promise<Page> {
  const page = await open(await browser.newContext({ baseURL: server.origin, storageState: sessions.get(who), javaScriptEnabled: scripted() }));
  await page.setViewportSize({ width: 1440, height: 900 });
  const answer = await page.goto(address.replace("DECISION", decision).replace("INVITATION", new URL(server.invite("demo", "lead")).pathname));
  expect(answer?.status()).toBe(status);
  return page;
}

test.use({ expected: [/status of 40[34]/] });

for (const [who, name, address, status] of PAGES) {
  test(`${name}: is sound at every width, in light and dark`, async ({ browser, open }) => {
    const page = await visit(browser, open, who, address, status);
    await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
    for (const { width, height } of SIZES) {
      await page.setViewportSize({ width, height });
      for (const colorScheme of SCHEMES) {
        const where = `${name} at ${width} in ${colorScheme}`;
        // Colours that are on their way from one scheme to the other are none of either.
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await fits(page, where);
        if (scripted()) await accessible(page, where);
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${where}${scripted() ? "" : " without JavaScript"}.png`.replaceAll(" ", "-"), fullPage: true });
      }
    }
    await page.context().close();
  });
}

for (const [who, name, address, status] of PAGES.filter(([, name]) => !name.startsWith("empty"))) {
  test(`${name}: the focus is seen wherever Tab leads`, async ({ browser, open }) => {
    test.skip(!scripted(), "the styles are the same");
    const page = await visit(browser, open, who, address, status);
    for (let step = 0; step < 25; step++) {
      await page.keyboard.press("Tab");
      const unseen = await page.evaluate(() => {
        const focused = document.activeElement;
        if (focused === null || focused === document.body) return undefined;
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(focused);
        const { width, height } = focused.getBoundingClientRect();
        const seen = (outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2) || boxShadow !== "none";
        return seen && width > 0 && height > 0 ? undefined : focused.outerHTML.slice(0, 200);
      });
      expect(unseen, "has the focus and does not show it").toBeUndefined();
    }
    await page.context().close();
  });
}
