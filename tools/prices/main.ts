/**
 * `npm run prices`: writes prices/prices.json, without a network. With `--check`, the command only reports whether the
 * file would change.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { compareWithLitellm } from './compare-with-litellm.ts'
import { makePriceFile, type LeftOut } from './make-price-file.ts'
import { overridesFromJson } from './read-overrides-file.ts'
import { priceFileText } from './read-and-write-price-file.ts'

const help = `Usage: npm run prices -- [options]

Makes prices/prices.json from the installed @pydantic/genai-prices and tools/prices/overrides.json.
To refresh it: install the package's new version, put that version and its date into overrides.json,
run this, and read the difference in git before it is committed.

  --check           change nothing; fail when the file is not what would be written
  --left-out        also name every model of the package that is left out, and why
  --compare <file>  change nothing; print where the prices differ by more than 1 % from LiteLLM's
                    model_prices_and_context_window.json, which you have fetched yourself
  --help            this text
`

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const path = join(root, 'prices/prices.json')

const { values } = parseArgs({
  options: {
    check: { type: 'boolean' },
    compare: { type: 'string' },
    help: { type: 'boolean' },
    'left-out': { type: 'boolean' },
  },
})
if (values.help === true) console.log(help)
else run()

function run(): void {
  const overrides = overridesFromJson(readFileSync(join(root, 'tools/prices/overrides.json'), 'utf8'))
  refuseOtherVersion(overrides.package.version)
  const { file, leftOut } = makePriceFile(overrides)
  const text = priceFileText(file)
  if (values.compare !== undefined) return compare(values.compare)
  if (values.check === true) {
    if (readFileSync(path, 'utf8') === text) return console.log('prices/prices.json is what would be written')
    console.error('prices/prices.json is outdated: run npm run prices')
    process.exitCode = 1
    return
  }
  writeFileSync(path, text)
  for (const { id } of file.providers) {
    const models = new Set(file.models.filter(({ provider }) => provider === id).map(({ model }) => model))
    console.log(`${id}: ${models.size} models`)
  }
  report(leftOut)

  function compare(litellmPath: string): void {
    const litellm: unknown = JSON.parse(readFileSync(litellmPath, 'utf8'))
    const today = new Date().toISOString().slice(0, 10)
    const { differences, shared } = compareWithLitellm(file, litellm, today)
    for (const { model, ours, provider, theirs, what } of differences) {
      console.log(`${provider} ${model}: ${what} is ${ours} here and ${theirs} there`)
    }
    console.log(`${shared} models in both; ${differences.length} rates differ by more than 1 %`)
  }
}

/** The publication date of this version is the date of the prices. */
function refuseOtherVersion(expected: string): void {
  const manifest: unknown = JSON.parse(
    readFileSync(join(root, 'node_modules/@pydantic/genai-prices/package.json'), 'utf8'),
  )
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : undefined
  if (version === expected) return
  console.error(
    `@pydantic/genai-prices ${String(version)} is installed and overrides.json is of ${expected}: write the new version and the day it was published there first`,
  )
  process.exit(1)
}

function report(leftOut: readonly LeftOut[]): void {
  const byReason = Map.groupBy(leftOut, ({ reason }) => reason)
  for (const [reason, all] of [...byReason].toSorted(([, one], [, other]) => other.length - one.length)) {
    console.log(`left out, ${reason}: ${all.length}`)
    if (values['left-out'] !== true) continue
    for (const { model, provider } of all) console.log(`  ${provider} ${model}`)
  }
}
