import type { UpstreamFormat, UpstreamTask, UpstreamWire } from '#domain/accounts/provider-kinds.ts'
import type { CachedRequest, FileRequest, StoredRequest } from '#domain/provider-upstream-interface.ts'
import { answerTo, outputTokensOf, tokensOrdered } from './write-answer-by-directives.ts'
import { containerAnswer } from './simulated-containers.ts'
import { conversationAnswer } from './conversations-in-memory.ts'
import { rejection, type Rejection } from './simulated-rejection.ts'
import { directivesIn, type Directives } from './directives-in-prompts.ts'
import { batchSteps } from './simulated-batches.ts'
import { foreignTask } from './reject-conversation-with-task-model.ts'
import { isObject } from './read-values-of-any-shape.ts'
import { KeptCaches, missingCache } from './cached-contents-in-memory.ts'
import { bodyOf, readBody } from './read-request-body.ts'
import { fileAnswer, KeptFiles } from './files-in-memory.ts'
import type { KeptResponses } from './responses-in-memory.ts'
import type { SimulatedCall, Step } from './simulated-call-types.ts'
import type { SimulatedRequest } from './simulated-request-types.ts'
import type { Said, Vendor } from './wire-simulator-interface.ts'
import { batchEmbedContents, embedContent } from '#simulator/tasks/embed-content.ts'
import { cohereEmbed } from '#simulator/tasks/cohere-embed.ts'
import { invokeEmbeddings } from '#simulator/tasks/invoke-embeddings.ts'
import { moderations } from '#simulator/tasks/moderations.ts'
import { compact } from '#simulator/tasks/compact.ts'
import { embeddings } from '#simulator/tasks/embeddings.ts'
import { imageEdits, images } from '#simulator/tasks/images.ts'
import { rerank } from '#simulator/tasks/rerank.ts'
import { speech } from '#simulator/tasks/speech.ts'
import type { Task } from '#simulator/tasks/task-simulator-interface.ts'
import { transcriptions } from '#simulator/tasks/transcriptions.ts'
import { chat } from '#simulator/wires/write-chat-answers.ts'
import { completions } from '#simulator/wires/write-completions-answers.ts'
import { cohere } from '#simulator/wires/write-cohere-answers.ts'
import { converse } from '#simulator/wires/write-converse-answers.ts'
import { generate } from '#simulator/wires/write-generate-answers.ts'
import { messages } from '#simulator/wires/write-messages-answers.ts'
import { responses } from '#simulator/wires/write-responses-answers.ts'

const vendors: Readonly<Record<UpstreamWire | 'completions', Vendor>> = {
  chat,
  messages,
  generate,
  responses,
  converse,
  cohere,
  completions,
}

type TaskWithoutText = Exclude<UpstreamTask, 'completions'>

const tasks: Readonly<Record<TaskWithoutText, Task>> = {
  embeddings,
  embed_content: embedContent,
  batch_embed_contents: batchEmbedContents,
  invoke_embeddings: invokeEmbeddings,
  cohere_embed: cohereEmbed,
  moderations,
  rerank,
  images,
  image_edits: imageEdits,
  speech,
  transcriptions,
  translations: transcriptions,
  compact,
}

const trickleMs = 100

/**
 * Returns all actions of the simulated provider for one request, in order. Every wire has the same answer
 * (write-answer-by-directives.ts) in its own format (wires/). For the same request and ID, the actions are always the
 * same.
 * @param kept the responses that the vendor stores; null if the vendor stores no responses
 */
export function* script(call: SimulatedCall, kept: KeptResponses | null = null): Generator<Step> {
  const { batch, cached, container, conversation, file, stored, wire } = call
  if (batch) return yield* batchSteps(call, batch, kept, script)
  if (file) return yield* fileSteps(call, file, kept)
  if (cached) return yield* cachedSteps(call, cached, kept)
  if (stored) return yield* storedSteps(call, stored, kept)
  if (container) return yield* stateSteps(call, containerAnswer(call, container))
  if (conversation) return yield* stateSteps(call, conversationAnswer(call, conversation, kept))
  if (isTask(wire)) return yield* taskSteps(tasks[wire], call, kept)
  const vendor = vendors[wire]
  const foreign = foreignTask(call)
  if (foreign !== null) return yield* refusal(vendor, call, 400, foreign)
  const request = readBody(vendor, call, kept)
  if ('fault' in request) return yield* refusal(vendor, call, request.status ?? 400, request)
  const directives = directivesIn(request.userText)
  if ('fault' in directives) return yield* refusal(vendor, call, 400, rejection(directives.fault))
  const steps = answer(vendor, call, request, directives, kept)
  yield* directives.isTrickling ? trickled(steps, directives.delayMs ?? trickleMs) : steps
}

function isTask(format: UpstreamFormat): format is TaskWithoutText {
  return Object.hasOwn(tasks, format)
}

function* storedSteps(
  call: SimulatedCall,
  { id, isStream, method, part, startingAfter }: StoredRequest,
  kept: KeptResponses | null,
): Generator<Step> {
  const found = kept?.find(id) ?? null
  if (found === null || kept === null)
    return yield* refusal(responses, call, 404, rejection(`Response with id '${id}' not found.`))
  const { background } = found
  if (part === '/cancel') {
    const fault = 'Cannot cancel a synchronous response.'
    if (background === undefined) return yield* refusal(responses, call, 400, rejection(fault))
    kept.cancel(found)
  } else if (isStream && method === 'GET' && background !== undefined) {
    yield eventStream
    const { events } = background
    const from = (startingAfter ?? -1) + 1
    const waitMs = kept.remainingMs(found)
    if (waitMs === Infinity) {
      yield* all(events.slice(from, Math.floor(events.length / 2)))
      return yield { kind: 'hang' }
    }
    yield { kind: 'wait', ms: waitMs }
    return yield* all(events.slice(from))
  }
  yield json
  if (method === 'DELETE') {
    kept.delete(id)
    return yield bytes(JSON.stringify({ id, object: 'response', deleted: true }))
  }
  if (part !== '/input_items') return yield bytes(kept.textOf(found))
  const data = found.items.slice(0, found.inputCount).map((item, at) => ({ id: `in_${at}`, ...item }))
  const [first_id = null, last_id = null] = [data[0]?.id, data.at(-1)?.id]
  yield bytes(
    JSON.stringify({
      object: 'list',
      data: data.toReversed(),
      first_id: last_id,
      last_id: first_id,
      has_more: false,
    }),
  )
}

function* stateSteps(call: SimulatedCall, state: object | null): Generator<Step> {
  if (state === null) return yield* refusal(responses, call, 404, rejection('Not found.'))
  yield json
  yield bytes(JSON.stringify(state))
}

function* fileSteps(
  { body, callId, createdSeconds, wire }: SimulatedCall,
  file: FileRequest,
  kept: KeptResponses | null,
): Generator<Step> {
  const vendor = wire === 'messages' ? 'anthropic' : wire === 'generate' ? 'google' : 'openai'
  const call = { body, callId, createdSeconds, vendor } as const
  const {
    body: content,
    contentType,
    status,
    upload,
  } = fileAnswer(call, file, kept?.files ?? new KeptFiles())
  yield { kind: 'head', status, contentType, retryAfterSeconds: null, ...(upload && { upload }) }
  yield { kind: 'bytes', bytes: content }
}

function* cachedSteps(
  call: SimulatedCall,
  cached: CachedRequest,
  kept: KeptResponses | null,
): Generator<Step> {
  const { createdSeconds } = call
  const caches = kept?.caches ?? new KeptCaches()
  const body = bodyOf(call)
  if (cached.method !== 'POST') {
    const changed = caches.change(cached, body, createdSeconds)
    if (changed === null) return yield* refusal(generate, call, 403, missingCache())
    yield json
    return yield bytes(JSON.stringify(changed))
  }
  const request = readBody(generate, call, kept)
  if ('fault' in request) return yield* refusal(generate, call, request.status ?? 400, request)
  const directives = directivesIn(request.userText)
  if ('fault' in directives) return yield* refusal(generate, call, 400, rejection(directives.fault))
  if (directives.failStatus !== null) return yield* refusal(generate, call, directives.failStatus, null)
  yield json
  const facts = { callId: call.callId, createdSeconds, tokens: request.inputTokens }
  yield bytes(JSON.stringify(caches.create(isObject(body) ? body : {}, facts)))
}

function* taskSteps(task: Task, call: SimulatedCall, kept: KeptResponses | null): Generator<Step> {
  const request = readBody(task, call, kept)
  if ('fault' in request) return yield* refusal(task, call, 400, request)
  const directives = directivesIn(request.userText)
  if ('fault' in directives) return yield* refusal(task, call, 400, rejection(directives.fault))
  const { cutAfterChunks, delayMs, error, failStatus, hang, isBroken, isUsageMissing, waitMs } = directives
  if (waitMs !== null) yield { kind: 'wait', ms: waitMs }
  if (hang === 'headers') yield { kind: 'hang' }
  yield { kind: 'wait', ms: delayMs ?? 0 }
  if (failStatus !== null) return yield* refusal(task, call, failStatus, null)
  if (error !== null) {
    yield json
    return yield bytes(task.errorBody(500, null))
  }
  const inputTokens = isUsageMissing ? null : request.inputTokens
  yield {
    ...json,
    contentType: request.contentType ?? json.contentType,
    ...(request.isUsageInHead === true && inputTokens !== null && { inputTokens }),
  }
  let isFirst = true
  for (const piece of request.pieces(inputTokens)) {
    yield typeof piece === 'string' ? bytes(piece) : { kind: 'bytes', bytes: piece }
    if (isFirst && hang === 'middle') yield { kind: 'hang' }
    if (isFirst && cutAfterChunks !== null) yield { kind: 'cut' }
    if (isBroken) return
    isFirst = false
  }
}

function* refusal(
  vendor: Pick<Vendor, 'errorBody' | 'hasRetryAfter'>,
  { callId }: SimulatedCall,
  status: number,
  reason: Rejection | null,
): Generator<Step> {
  yield {
    kind: 'head',
    status,
    contentType: 'application/json',
    retryAfterSeconds: status === 429 && vendor.hasRetryAfter ? 2 : null,
  }
  yield bytes(vendor.errorBody(status, reason, callId))
}

function* answer(
  vendor: Vendor,
  call: SimulatedCall,
  request: SimulatedRequest,
  directives: Directives,
  kept: KeptResponses | null,
): Generator<Step> {
  const { failStatus, hang, delayMs, waitMs } = directives
  if (waitMs !== null) yield { kind: 'wait', ms: waitMs }
  if (hang === 'headers') yield { kind: 'hang' }
  if (failStatus !== null) {
    yield { kind: 'wait', ms: delayMs ?? 0 }
    return yield* refusal(vendor, call, failStatus, null)
  }
  if (call.purpose === 'count' && vendor.countBody !== null) {
    yield json
    return yield bytes(vendor.countBody(request.inputTokens))
  }
  if (tokensOrdered(request, directives) > answerTokensMax) {
    const fault = `The simulator writes at most ${answerTokensMax} tokens in one answer, over all its choices.`
    return yield* refusal(vendor, call, 400, rejection(fault))
  }
  const said = say(call, request, directives)
  const fault = vendor.hasObjectArguments ? argumentsFault(said) : null
  if (fault !== null) return yield* refusal(vendor, call, 400, rejection(fault))
  const keep = (): void => {
    const response = kept && vendor.keep?.(said)
    if (response) kept.keep(response)
    if (response) kept.conversations.addResponse(request.body['conversation'], response.items)
  }
  const running = request.body['background'] === true ? keepRunning(vendor, said, directives, kept) : null
  if (running !== null && !request.isStream) {
    yield json
    return yield bytes(running)
  }
  if (request.isStream) yield* stream(vendor, said, directives, running === null ? keep : () => {})
  else yield* whole(vendor, said, directives, keep)
}

/**
 * Stores a response that is generated in the background, which takes as long as its stream would take. Returns its
 * current state, or null if the vendor generates no responses in the background.
 */
function keepRunning(
  vendor: Vendor,
  said: Said,
  { delayMs, error, hang }: Directives,
  kept: KeptResponses | null,
): string | null {
  const response = vendor.keep?.(said) ?? null
  const texts = vendor.runInBackground?.(said)
  if (kept === null || response === null || texts === undefined) return null
  const tokens = Math.max(...said.choices.map(({ pieces }) => pieces.length))
  const frames = vendor.frames(said)
  const [choice] = said.choices
  const pieces = choice?.pieces ?? []
  const events = [
    ...frames.opening(),
    ...(error === null
      ? [...pieces.flatMap((piece, at) => frames.token(0, at, piece)), ...frames.closing()]
      : frames.error()),
  ]
  const durationMs = hang === null ? (delayMs ?? 0) * tokens : Infinity
  const background = { ...texts, events, durationMs }
  kept.keep({ ...response, ...(error !== null && { text: texts.failed }), background })
  return texts.running
}

/** The complete answer is created in the gateway's own process, so this size protects the memory. */
const answerTokensMax = 200_000

const json: Extract<Step, { kind: 'head' }> = {
  kind: 'head',
  status: 200,
  contentType: 'application/json',
  retryAfterSeconds: null,
}

const eventStream: Extract<Step, { kind: 'head' }> = { ...json, contentType: 'text/event-stream' }

/** Input tokens for the results of one search. In recorded searches, the median is 7,500. */
const tokensOfSearch = 7_500
/** Without the prompt, which the model reads again. */
const tokensOfRun = 100

function say(call: SimulatedCall, request: SimulatedRequest, directives: Directives): Said {
  const choices = answerTo(request, directives, call.callId)
  const searches = Math.min(directives.searches, request.searchesMax ?? 0)
  const runs = request.runs === undefined ? 0 : Math.min(directives.runs, request.runsMax ?? Infinity)
  const addedTokens = searches * tokensOfSearch + runs * (request.inputTokens + tokensOfRun)
  const input = request.inputTokens + addedTokens
  const cached = Math.min(request.cachedTokens ?? directives.cachedTokens, input)
  return {
    request,
    callId: call.callId,
    createdSeconds: call.createdSeconds,
    choices,
    isRedacted: directives.isRedacted,
    searches,
    runs,
    usage: directives.isUsageMissing
      ? null
      : {
          input,
          cached,
          written: Math.min(directives.writtenTokens, input - cached),
          output: outputTokensOf(choices),
          reasoning: outputTokensOf(choices, 'reasoning'),
          searches,
          addedTokens,
          lie: directives.usageLie,
        },
  }
}

function argumentsFault({ choices }: Said): string | null {
  const calls = choices.flatMap((choice) => choice.calls)
  const wrong = calls.find((call) => !isObject(JSON.parse(call.arguments)))
  return wrong ? `The arguments of ${wrong.name} must be an object on this wire. Write {"value": ...}.` : null
}

function* stream(
  vendor: Vendor,
  said: Said,
  { hang, cutAfterChunks, isBroken, delayMs, error }: Directives,
  keep: () => void,
): Generator<Step> {
  yield eventStream
  const { choices } = said
  const frames = vendor.frames(said)
  if (error === 'first') return yield* all(frames.error())
  yield* all(frames.opening())
  if (error === 'early') return yield* all(frames.error())
  const total = outputTokensOf(choices)
  const middle = Math.floor(total / 2)
  const cutAt = cutAfterChunks === null ? null : Math.min(cutAfterChunks, total)
  const tokensMax = Math.max(...choices.map(({ pieces }) => pieces.length))
  let sent = 0
  for (let at = 0; at < tokensMax; at++) {
    for (const [index, { pieces }] of choices.entries()) {
      const piece = pieces[at]
      if (!piece) continue
      if (sent === cutAt) yield { kind: 'cut' }
      if (sent === middle) {
        if (hang === 'middle') yield { kind: 'hang' }
        if (error === 'middle') return yield* all(frames.error())
        if (isBroken) yield bytes(frames.broken())
      }
      if (delayMs !== null) yield { kind: 'wait', ms: delayMs }
      yield* all(frames.token(index, at, piece))
      sent++
    }
  }
  if (sent === cutAt) yield { kind: 'cut' }
  keep()
  yield* all(frames.closing())
}

/**
 * The response is sent after as much time as its stream would take. If the directives request an error, the error
 * replaces the answer.
 */
function* whole(
  vendor: Vendor,
  said: Said,
  { hang, cutAfterChunks, isBroken, delayMs, error }: Directives,
  keep: () => void,
): Generator<Step> {
  yield {
    kind: 'wait',
    ms: (delayMs ?? 0) * Math.max(...said.choices.map(({ pieces }) => pieces.length)),
  }
  yield json
  const text = error === null ? vendor.whole(said) : vendor.errorBody(500, null, said.callId)
  const middle = Math.floor(text.length / 2)
  yield bytes(text.slice(0, middle))
  if (hang === 'middle') yield { kind: 'hang' }
  if (cutAfterChunks !== null) yield { kind: 'cut' }
  if (isBroken) return
  if (error === null) keep()
  yield bytes(text.slice(middle))
}

function* trickled(steps: Iterable<Step>, delayMs: number): Generator<Step> {
  for (const step of steps) {
    if (step.kind !== 'bytes') yield step
    else {
      for (let at = 0; at < step.bytes.length; at++) {
        yield { kind: 'bytes', bytes: step.bytes.subarray(at, at + 1) }
        yield { kind: 'wait', ms: delayMs }
      }
    }
  }
}

function* all(frames: readonly string[]): Generator<Step> {
  for (const frame of frames) yield bytes(frame)
}

function bytes(text: string): Step {
  return { kind: 'bytes', bytes: Buffer.from(text) }
}
