import { blocksOf, type Choice } from '#simulator/write-answer-by-directives.ts'
import { googleError } from '#simulator/error-bodies-of-vendors.ts'
import { readGenerate, signedCallPrefix } from '#simulator/requests/read-generate-request.ts'
import { sealOf } from '#simulator/sign-simulated-thoughts.ts'
import {
  claimed,
  type Frames,
  type Said,
  type SaidUsage,
  type Vendor,
} from '#simulator/wire-simulator-interface.ts'

/** Google's generateContent, streaming and non-streaming, and countTokens (docs/reference/wires.md "Generate"). */
export const generate: Vendor = {
  read: (body, call) => readGenerate(body, call),
  errorBody: (status, rejection) => googleError(status, rejection),
  hasRetryAfter: false,
  hasObjectArguments: true,
  countBody: (inputTokens) =>
    JSON.stringify({
      totalTokens: inputTokens,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: inputTokens }],
    }),
  frames,
  whole,
}

/**
 * Each chunk is a complete response object with the usage so far. A tool call is sent as a whole after its last token.
 * Only a finish reason marks the end.
 */
function frames(said: Said): Frames {
  const tail = tailOf(said)
  let visible = 0
  let called = said.choices.map(() => -1)
  const chunk = (index: number, part: string, finishReason: string | null = null): string => {
    const reason = finishReason === null ? '' : `"finishReason":"${finishReason}",${groundingOf(said)}`
    const usage = said.usage === null ? '' : usageOf(said.usage, visible, finishReason !== null)
    return `data: {"candidates":[{"content":{"parts":[${part}],"role":"model"},${reason}"index":${index}}],${usage}${tail}\r\n\r\n`
  }
  /** Empty if there is no call, or if the maximum truncated it. */
  const endCall = (index: number): string[] => {
    const tool = called[index] ?? -1
    const part = tool < 0 ? null : callPart(said, index, tool)
    return part === null ? [] : [chunk(index, part)]
  }
  return {
    opening: () => [],
    token(index, _, { kind, text, tool }) {
      if (kind === 'reasoning') {
        return said.request.reasoning.isShown
          ? [chunk(index, `{"text":${JSON.stringify(text)},"thought":true}`)]
          : []
      }
      visible++
      if (kind === 'content') return [chunk(index, `{"text":${JSON.stringify(text)}}`)]
      if (kind === 'arguments') return []
      const before = endCall(index)
      called = called.with(index, tool)
      return before
    },
    closing: () =>
      said.choices.flatMap((choice, index) => {
        const thoughts = thoughtsOf(choice)
        // Without a tool call to carry the signature, a separate part has it (docs/reference/wires.md "Streams on the
        // generate wire").
        const seal =
          thoughts === '' || choice.calls.length > 0
            ? ''
            : `,"thoughtSignature":"${sealOf('thought', thoughts)}"`
        return [...endCall(index), chunk(index, `{"text":""${seal}}`, finishReasons[choice.finish])]
      }),
    broken: () => 'data: {"candidates":[{"content":{"parts":[{"te\r\n\r\n',
    error: () => [`data: ${googleError(503, null)}\r\n\r\n`],
  }
}

/** Google has no finish reason for tool calls. Clients recognize tool calls by the parts of the answer. */
const finishReasons = {
  end: 'STOP',
  stop_sequence: 'STOP',
  max_output: 'MAX_TOKENS',
  tool_calls: 'STOP',
  refusal: 'SAFETY',
} as const

/** Null for the last call if the output maximum truncated it, because a truncated call is not sent. */
function callPart({ callId, choices }: Said, index: number, tool: number): string | null {
  const choice = choices[index]
  const call = choice?.calls[tool]
  if (!choice || !call) return null
  const isCut = choice.finish === 'max_output' && choice.pieces.at(-1)?.tool === tool
  if (isCut && blocksOf(choice).at(-1)?.text !== call.arguments) return null
  const thoughts = thoughtsOf(choice)
  const name = JSON.stringify(call.name)
  // A tool call has no ID if the answer has no thoughts, as with models that cannot think.
  if (thoughts === '') return `{"functionCall":{"name":${name},"args":${call.arguments}}}`
  const id = `${signedCallPrefix}${callId}_${index}_${tool}`
  const seal = tool === 0 ? `,"thoughtSignature":"${sealOf('thought', thoughts)}"` : ''
  return `{"functionCall":{"id":"${id}","name":${name},"args":${call.arguments}}${seal}}`
}

function thoughtsOf({ pieces }: Choice): string {
  return pieces
    .filter(({ kind }) => kind === 'reasoning')
    .map(({ text }) => text)
    .join('')
}

function whole(said: Said): string {
  const { choices, usage } = said
  const candidates = choices.map((choice, index) => {
    const thoughts = thoughtsOf(choice)
    const parts = blocksOf(choice).flatMap(({ kind, text, tool }) => {
      if (kind === 'tool') return callPart(said, index, tool) ?? []
      if (kind === 'reasoning') {
        return said.request.reasoning.isShown ? [JSON.stringify({ text, thought: true })] : []
      }
      const isSealed = thoughts !== '' && choice.calls.length === 0
      return [
        JSON.stringify({ text, ...(isSealed ? { thoughtSignature: sealOf('thought', thoughts) } : {}) }),
      ]
    })
    // A response with only hidden thoughts has no parts.
    const list = parts.length === 0 ? '' : `"parts":[${parts.join(',')}],`
    const reason = `"finishReason":"${finishReasons[choice.finish]}",${groundingOf(said)}`
    return `{"content":{${list}"role":"model"},${reason}"index":${index}}`
  })
  const counted = usage === null ? '' : usageOf(usage, usage.output - usage.reasoning, true)
  return `{"candidates":[${candidates.join(',')}],${counted}${tailOf(said)}`
}

/** Google reports its searches in the last chunk. */
function groundingOf({ searches }: Said): string {
  if (searches === 0) return ''
  const queries = Array.from({ length: searches }, (_, at) => `"query ${at + 1}"`)
  return `"groundingMetadata":{"webSearchQueries":[${queries.join(',')}]},`
}

function tailOf({ request, callId }: Said): string {
  return `"modelVersion":${JSON.stringify(request.model)},"responseId":"${callId}"}`
}

/**
 * @param visible number of tokens that were sent so far, without thoughts, which are counted separately
 * @param isLast only the last usage has the false count of a directive
 */
function usageOf(usage: SaidUsage, visible: number, isLast: boolean): string {
  const { cached, reasoning, addedTokens } = usage
  const input = usage.input - addedTokens
  const claim = (truth: number): string => (isLast ? claimed(usage, truth) : String(truth))
  return (
    `"usageMetadata":{"promptTokenCount":${input},` +
    (cached === 0 ? '' : `"cachedContentTokenCount":${cached},`) +
    `"candidatesTokenCount":${claim(visible)},` +
    (reasoning === 0 ? '' : `"thoughtsTokenCount":${reasoning},`) +
    (addedTokens === 0 ? '' : `"toolUsePromptTokenCount":${addedTokens},`) +
    `"totalTokenCount":${claim(usage.input + visible + reasoning)},` +
    `"promptTokensDetails":[{"modality":"TEXT","tokenCount":${input}}]},`
  )
}
