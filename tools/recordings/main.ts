/**
 * Prints which recorded requests of a folder the gateway would reject, and which it would serve without an offered
 * tool, at an account of the same wire. The tools that the gateway can bound count as priced. Requests that the
 * provider rejected are omitted. Also prints percentiles of the computed maximum input over the actual input.
 */
import { routeOf } from '#gateway/arrive/routes.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isForm, isTask } from '#wire/request-formats.ts'
import { isFault, type WireRequest } from '#wire/wire-request.ts'
import { wires } from '#wire/wires.ts'
import { keepBounded, measured } from '../../tests/support/measured-recordings.ts'
import { recordedCalls, type RecordedCall } from './cassettes.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('name the folder of the recordings')

/** Models that search the web by themselves. */
const searches = /compound|search|sonar|:online/

const calls = recordedCalls(folder)
const unserved = new Map<string, number>()
const rejected = new Map<string, number>()
const without = new Map<string, number>()
const ratios: number[] = []
let small = 0
let withAddedInput = 0
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
  const { kind, path, wire } = route
  // Counting is free, and forms have no JSON.
  if (kind !== 'answer' || isForm(wire)) continue
  served++
  const body = byteTextOf(JSON.stringify(call.body))
  const request = wires[wire].parseRequest(body, path, keepBounded(wire))
  if (isFault(request) && request.instead === undefined) {
    count(rejected, `${wire} ${request.param?.replaceAll(/\d+/g, '*')}: ${request.reason}`)
  } else {
    const lost = isFault(request) ? (request.instead?.lost ?? []) : (request.lost ?? [])
    if (lost.length > 0) count(without, `${wire} ${lost.join(', ')}`)
    else if (!isFault(request) && isMeasured(request)) measure(call, wire, addsInput(request))
  }
}

/** Whether the size of all stored content is known. The recordings do not contain the sizes of files. */
function isMeasured({ files = [], model, previous }: WireRequest): boolean {
  return files.every(({ isUpload }) => isUpload) && previous === undefined && !searches.test(model)
}

/** Whether the provider adds input: content that it fetches, results of its tools, or the input of a compaction. */
function addsInput({ compactsAbove, fetched, run }: WireRequest): boolean {
  return compactsAbove !== undefined || fetched !== undefined || run !== undefined
}

/** @param isAdded whether the provider adds input, so that the hold must suffice but has no useful ratio */
function measure(
  { answer, body, status, url }: RecordedCall,
  wire: keyof typeof wires,
  isAdded: boolean,
): void {
  if (answer === null || isTask(wire)) return
  const isStream = /^(?:event|data|:)/.test(answer)
  const bytes = byteTextOf(answer)
  const one = measured({ name: url, wire, isStream, requestBody: body, status, bytes })
  if (one === null || one.inputTokens === 0) return
  if (isAdded) withAddedInput++
  else ratios.push(one.boundTokens / one.inputTokens)
  if (one.boundTokens < one.inputTokens) {
    small++
    console.info(`too small: ${one.boundTokens} of ${one.inputTokens}: ${JSON.stringify(body).slice(0, 300)}`)
  }
}

const total = (map: ReadonlyMap<string, number>): number =>
  [...map.values()].reduce((sum, one) => sum + one, 0)
const share = (part: number, of: number): string => `${part} of ${of} (${((100 * part) / of).toFixed(2)} %)`
console.log(`requests to paths that are not served: ${share(total(unserved), calls.length)}`)
print(unserved)
console.log(`\nrequests that the provider rejected: ${refusedByProvider}`)
console.log(`\nrejected: ${share(total(rejected), served)}`)
print(rejected)
console.log(`\nserved without an offered tool: ${share(total(without), served)}`)
print(without)
const sorted = ratios.toSorted((one, other) => one - other)
const figures = [5, 25, 50, 75, 95, 99].map((percent) => {
  const ratio = sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
  return `p${percent} ${ratio.toPrecision(3)}`
})
console.log(`\ninput bound / input, ${sorted.length} calls: ${figures.join(', ')}`)
console.log(
  `too small: ${small} of ${sorted.length + withAddedInput}, of which the provider adds input to ${withAddedInput}`,
)

function count(map: Map<string, number>, key: string): void {
  map.set(key, (map.get(key) ?? 0) + 1)
}

function print(map: ReadonlyMap<string, number>): void {
  for (const [key, times] of [...map].toSorted(([, one], [, other]) => other - one))
    console.log(`${times}  ${key}`)
}
