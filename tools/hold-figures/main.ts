/**
 * Prints percentiles of two ratios: the held amount divided by the charge, and the upper bound of the input divided by
 * the reported input (docs/reference/tokens.md "Holds compared with usage"). The calls are the recordings of
 * `tests/support/read-recordings.ts`, and generated documents with their documented usage. The price of output is four
 * times the price of input.
 */
import { outputTokensDefault, outputTokensFirst } from '#gateway/call/dependencies-of-gateway.ts'
import { measuredRecordings, type Measured } from '../../tests/support/measured-recordings.ts'
import { generatedDocuments } from './input-bounds-of-generated-pdfs.ts'

const outputRate = 4
const percentiles = [5, 25, 50, 75, 95, 99, 100]

const calls = measuredRecordings()
const unstated = calls.filter(({ isStream, outputTokensMax }) => !isStream && outputTokensMax === null)
const documents = generatedDocuments()
const before = 16_384

row(
  'ratio',
  percentiles.map((percent) => `p${percent}`),
  'calls',
)
row(
  '---',
  percentiles.map(() => '---'),
  '---',
)
figures(
  `hold / charge: with the earlier default output maximum of ${before} tokens`,
  calls.map((call) => holdOverCharge(call, before)),
)
figures(
  `hold / charge: with the default output maximum of ${outputTokensDefault} tokens`,
  calls.map((call) => holdOverCharge(call, outputTokensDefault)),
)
for (const tokens of [before, outputTokensDefault])
  figures(
    `hold / charge: only non-streaming requests that set no output maximum, with a default of ${tokens} tokens`,
    unstated.map((call) => holdOverCharge(call, tokens)),
  )
for (const group of ['text', 'media', 'fetched', 'tools', 'compaction'] as const) {
  const own = calls.filter((call) => call.group === group)
  figures(
    `upper bound / reported input: ${group}`,
    own.map(({ boundTokens, inputTokens }) => boundTokens / inputTokens),
  )
}
const counted = await Promise.all(
  calls.map(async ({ countedTokens, inputTokens }) => ((await countedTokens()) ?? 0) / inputTokens),
)
figures(
  'upper bound / reported input: text that the tokenizer counts',
  counted.filter((ratio) => ratio > 0),
)
for (const { name, kind } of [
  { name: 'Claude', kind: 'anthropic' },
  { name: 'Gemini', kind: 'google' },
] as const) {
  const of = documents.filter((document) => document.kind === kind)
  figures(
    `upper bound / reported input: PDFs at ${name}, counted by bytes (the earlier rule)`,
    of.map(({ byBytes, inputTokens }) => byBytes / inputTokens),
  )
  figures(
    `upper bound / reported input: PDFs at ${name}, counted by pages`,
    of.map(({ boundTokens, inputTokens }) => boundTokens / inputTokens),
  )
}

function holdOverCharge(call: Measured, usual: number): number {
  const { boundTokens, inputTokens, isStream, outputTokens, outputTokensMax } = call
  const held = outputTokensMax ?? (isStream ? Math.max(outputTokensFirst, outputTokens) : usual)
  return (boundTokens + held * outputRate) / (inputTokens + outputTokens * outputRate)
}

function figures(name: string, ratios: readonly number[]): void {
  if (ratios.length === 0) return
  const sorted = ratios.toSorted((one, other) => one - other)
  const at = (percent: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
  row(
    name,
    percentiles.map((percent) => at(percent).toPrecision(3)),
    String(sorted.length),
  )
}

function row(name: string, cells: readonly string[], count: string): void {
  console.log(`| ${[name, count, ...cells].join(' | ')} |`)
}
