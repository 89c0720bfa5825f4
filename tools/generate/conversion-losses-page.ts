import { answerLosses } from '#convert/capabilities/losses-in-answers.ts'
import { readerLosses, readerRefusals } from '#convert/capabilities/parts-without-neutral-form.ts'
import {
  columnOf,
  treatmentAt,
  type Capability,
  type Treatment,
} from '#convert/capabilities/capability-type.ts'
import { capabilities } from '#convert/capabilities/adapt-request-to-wire.ts'
import { wireNames, type WireName } from '#wire/names-of-wires-and-tasks.ts'

export function conversionLosses(): string {
  const directions = wireNames.flatMap((from) =>
    wireNames.filter((to) => to !== from).map((to) => direction(from, to)),
  )
  return `${[head, ...directions].join('\n\n')}\n`
}

const head = `# What conversions lose

If the client and the provider use different wire formats, the gateway converts requests and responses. This page lists
the losses for each of the 30 combinations of client and provider formats. The format \`converse\` belongs to Amazon
Bedrock, and \`cohere\` to Cohere's chat. \`npm run generate\` writes this page from the table that the gateway uses
(\`src/convert/capabilities/adapt-request-to-wire.ts\`).

Effects on a request:

- **lost** and **changed** fields are listed by name in the header \`x-svc-conversion-lost\` and in
  \`requests.explain\`. The header also lists all other fields that the gateway doesn't know, such as fields that exist
  only in the client's format. A list has at most 100 names.
- **refused** returns 400 \`unsupported_for_route\` with the name of the field.
- **emulated** means that the gateway itself produces the effect of the field.

All other fields keep their effect. The gateway omits fields without an effect, such as an explicit default.`

function direction(from: WireName, to: WireName): string {
  const asked = capabilities
    .map((capability) => requestRow(capability, from, to))
    .filter((row) => row !== null)
  const refused = Object.values(readerRefusals).flatMap(({ field, what }) => {
    const name = new Map<string, string>(Object.entries(field)).get(from)
    return name === undefined ? [] : [`| \`${name}\` | ${what} | refused |`]
  })
  const unread = readerLosses
    .filter((loss) => loss.from === from)
    .map(({ field, result = 'lost', what }) => `| \`${field}\` | ${what} | ${result} |`)
  const answered = answerLosses
    .filter((loss) => loss.from.includes(to) && loss.to.includes(from))
    .map(({ what, becomes }) => `| ${what} | ${becomes} |`)
  return [
    `## ${from} to ${to}`,
    `Losses in requests from clients with the format \`${from}\` to providers with the format \`${to}\`:`,
    ['| field | feature | result |', '| --- | --- | --- |', ...refused, ...asked, ...unread].join('\n'),
    `Losses in responses from providers with the format \`${to}\` to clients with the format \`${from}\`:`,
    ['| feature | result |', '| --- | --- |', ...answered].join('\n'),
  ].join('\n\n')
}

function requestRow(capability: Capability, from: WireName, to: WireName): string | null {
  const name = capability.field[from]
  if (name === undefined) return null
  const own = treatmentAt(capability, columnOf(destination(to, 'openai')))
  const other = treatmentAt(capability, columnOf(destination(to, 'compatible')))
  if (!isTold(own) && !isTold(other)) return null
  const becomes = own === other ? own : `${own} at OpenAI, ${other} at others`
  const names = [name, ...(capability.otherFields?.[from] ?? [])].map((each) => `\`${each}\``)
  return `| ${names.join(', ')} | ${capability.what} | ${becomes} |`
}

function isTold(treatment: Treatment): boolean {
  return treatment !== 'carried' && treatment !== 'irrelevant'
}

function destination(wire: WireName, dialect: 'openai' | 'compatible'): Parameters<typeof columnOf>[0] {
  return { wire, dialect }
}
