/**
 * Reads recorded requests in a folder, and prints which of them the gateway would reject, or serve without an offered
 * tool. The command assumes that an account with the same wire format serves each request. For accounts with each other
 * wire format, it counts the conversions that the gateway would reject. Tools whose uses the gateway can limit are
 * treated as if they had a price. The command also prints percentiles of a ratio: the computed maximum input divided by
 * the actual input, grouped by the content of the input.
 */
import { parserOf } from '#gateway/arrive/parse-body.ts'
import { routeOf } from '#gateway/arrive/find-route-of-path.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isForm, isTask, type FormatName } from '#wire/names-of-wires-and-tasks.ts'
import { bodyOf, isFault, type WireRequest } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'
import {
  boundOfTask,
  keepBounded,
  measured,
  type InputGroup,
} from '../../tests/support/measured-recordings.ts'
import { AcrossWires } from './convert-recordings-to-other-wires.ts'
import { kindOfHost, recordedCalls, type RecordedCall } from './read-recorded-calls.ts'
import { media, mediumOf } from './medium-of-request.ts'
import { printRatios, type NamedRatio } from './print-percentiles.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('name the folder of the recordings')

/** Matches models that search the web by themselves. */
const searches = /compound|search|sonar|:online/

/** For inputs above this size, the fixed allowances in the computed maximum input hardly matter. */
const longTokens = 1_000

/** For each group of inputs, why the computed maximum is larger than the actual input. */
const groups: Readonly<Record<InputGroup | keyof typeof media | 'longText' | 'task', string>> = {
  text: 'text (the allowances for a request and its tools are a multiple of a short prompt)',
  longText: `text of at least ${longTokens} input tokens, part of the group above`,
  media: 'media',
  ...media,
  task: 'tasks, such as embeddings',
  fetched: 'content that the provider fetches (its size is not known, so the context window is held)',
  tools: 'tools that the provider runs (their results are not known, so each use is held at about its p95)',
  compaction: 'conversations that the provider may compact (read again to summarize them)',
}

const calls = recordedCalls(folder)
const unserved = new Map<string, number>()
const rejected = new Map<string, number>()
const without = new Map<string, number>()
const ratios = new Map<string, NamedRatio[]>()
const countedRatios: NamedRatio[] = []
const acrossWires = new AcrossWires()
const keepNone = (): ReadonlySet<never> => new Set()
let small = 0
let beyondLimit = 0
let refusedByProvider = 0
let served = 0

for (const call of calls) {
  const route = routeOf('POST', call.url)
  if (route.kind === 'refused') {
    count(unserved, `${call.host} ${call.url.replace(/\?.*/, '').replaceAll(/[^/]*\d[^/]*/g, '*')}`)
    continue
  }
  if (call.status >= 400) {
    refusedByProvider++
    continue
  }
  const { kind, path } = route
  // Requests that only count tokens are free, and multipart forms contain no JSON.
  if (kind !== 'answer' || isForm(route.wire)) continue
  const body = byteTextOf(JSON.stringify(call.body))
  const request = parserOf(route)(body, path, keepBounded(route.wire))
  // At `invoke` of Bedrock, only the body shows the wire.
  const wire = isFault(request) ? route.wire : request.wire
  if (isFault(request) && request.code === 'invalid_request' && /^\/model\/.*\/invoke/.test(call.url)) {
    count(unserved, `${call.host} ${call.url} (body of another family of models)`)
    continue
  }
  served++
  if (isFault(request) && request.instead === undefined) {
    count(rejected, `${wire} ${request.param?.replaceAll(/\d+/g, '*')}: ${request.reason}`)
  } else {
    const lost = isFault(request) ? (request.instead?.lost ?? []) : (request.lost ?? [])
    if (!isTask(wire)) acrossWires.add(parserOf(route)(body, path, keepNone), wire)
    if (lost.length > 0) count(without, `${wire} ${lost.join(', ')}`)
    else if (!isFault(request) && isMeasured(request))
      // oxlint-disable-next-line no-await-in-loop -- the tokenizer counts one text at a time
      await measure(call, request)
  }
}

/** The recordings do not contain the size of stored content to which a request refers. */
function isMeasured({ cache, conversation, files = [], model, previous }: WireRequest): boolean {
  return (
    cache === undefined &&
    conversation === undefined &&
    files.every(({ isUpload }) => isUpload) &&
    previous === undefined &&
    !searches.test(model)
  )
}

async function measure(call: RecordedCall, request: WireRequest): Promise<void> {
  const { answer, body, file, host, status, url } = call
  if (answer === null) return
  const { wire } = request
  if (isTask(wire)) return measureTask(call, request, wire)
  const isStream = /^(?:event|data|:)/.test(answer)
  // A request to a deployment of Azure may contain the model only in its path. A model in the body is more exact than
  // the name of the deployment.
  const requestBody = { ...bodyOf(request), ...body }
  const one = measured(
    { name: url, wire, isStream, requestBody, status, bytes: byteTextOf(answer) },
    { kind: kindOfHost(host), model: request.model },
  )
  if (one === null || one.inputTokens === 0) return
  const { boundTokens, exceedsLimit, group, inputTokens } = one
  if (exceedsLimit) {
    beyondLimit++
    return
  }
  const ratio = { name: file, ratio: boundTokens / inputTokens }
  note(group, ratio)
  if (group === 'text' && inputTokens >= longTokens) note('longText', ratio)
  if (group === 'media') note(mediumOf(request), ratio)
  if (boundTokens < inputTokens) tellSmall(boundTokens, inputTokens, call)
  const counted = group === 'text' ? await one.countedTokens() : null
  if (counted === null) return
  countedRatios.push({ name: file, ratio: counted / inputTokens })
  if (counted < inputTokens) tellSmall(counted, inputTokens, call)
}

function measureTask(call: RecordedCall, request: WireRequest, wire: FormatName): void {
  const told = wires[wire].readAnswer(byteTextOf(call.answer ?? ''), request)?.usage?.input
  const inputTokens = told ?? call.headTokens ?? 0
  if (inputTokens === 0) return
  const boundTokens = boundOfTask(request)
  note('task', { name: call.file, ratio: boundTokens / inputTokens })
  if (boundTokens < inputTokens) tellSmall(boundTokens, inputTokens, call)
}

function note(group: string, ratio: NamedRatio): void {
  ratios.set(group, [...(ratios.get(group) ?? []), ratio])
}

function tellSmall(held: number, inputTokens: number, { body, file }: RecordedCall): void {
  small++
  console.info(`too small: ${held} of ${inputTokens}: ${file}: ${JSON.stringify(body).slice(0, 300)}`)
}

const total = (map: ReadonlyMap<string, number>): number =>
  [...map.values()].reduce((sum, one) => sum + one, 0)
const share = (part: number, of: number): string => `${part} of ${of} (${((100 * part) / of).toFixed(2)} %)`
console.log(`requests to paths that are not served: ${share(total(unserved), calls.length)}`)
print(unserved)
console.log(`\nrequests that the provider rejected: ${refusedByProvider}`)
console.log(`\nrejected: ${share(total(rejected), served)}`)
print(rejected)
console.log(`\nserved without a tool that the request offers: ${share(total(without), served)}`)
print(without)
console.log(`\nrejected across wires: ${share(acrossWires.rejected, acrossWires.total)}`)
for (const [direction, { rejected: some, total: all }] of acrossWires.directions)
  console.log(`    ${direction}: ${share(some, all)}`)
print(acrossWires.reasons)
console.log('\nupper bound of the input / input')
for (const [group, reason] of Object.entries(groups)) printRatios(reason, ratios.get(group) ?? [])
printRatios('text that a tokenizer counts, because money is short', countedRatios)
const measuredCalls = [...ratios]
  .filter(([group]) => group !== 'longText' && !Object.hasOwn(media, group))
  .reduce((sum, [, { length }]) => sum + length, 0)
console.log(`\ntoo small: ${small} of ${measuredCalls}`)
console.log(`omitted, because the provider searched more often than the gateway would allow: ${beyondLimit}`)

function count(map: Map<string, number>, key: string): void {
  map.set(key, (map.get(key) ?? 0) + 1)
}

function print(map: ReadonlyMap<string, number>): void {
  for (const [key, times] of [...map].toSorted(([, one], [, other]) => other - one))
    console.log(`${times}  ${key}`)
}
