import { openaiError } from '#simulator/error-bodies-of-vendors.ts'
import { readCompletions } from '#simulator/requests/read-completions-request.ts'
import { type Frames, type Said, type Vendor } from '#simulator/wire-simulator-interface.ts'
import { chat, finishReasons, usageOf } from './write-chat-answers.ts'

/** Text completions have no thoughts and no tools (docs/reference/wires.md "Text completions"). */
export const completions: Vendor = { ...chat, read: (body) => readCompletions(body), frames, whole }

function frames(said: Said): Frames {
  const { choices, request, usage } = said
  const opening = `data: ${JSON.stringify(headOf(said)).slice(0, -1)},"choices":[`
  const ending = request.isUsageWanted ? '],"usage":null}\n\n' : ']}\n\n'
  const chunk = (index: number, text: string, finishReason = 'null'): string =>
    `${opening}{"text":${JSON.stringify(text)},"index":${index},"logprobs":null,"finish_reason":${finishReason}}${ending}`
  return {
    opening: () => [],
    token: (choice, _, { kind, text }) => (kind === 'content' ? [chunk(choice, text)] : []),
    closing: () => [
      ...choices.map(({ finish }, index) => chunk(index, '', `"${finishReasons[finish]}"`)),
      ...(request.isUsageWanted && usage !== null ? [`${opening}],"usage":${usageOf(usage)}}\n\n`] : []),
      'data: [DONE]\n\n',
    ],
    broken: () => `${opening}{"text":"cont\n\n`,
    error: () => [`data: ${openaiError(500, null)}\n\n`],
  }
}

function whole(said: Said): string {
  const { choices, request, usage } = said
  const list = choices.map(({ finish, pieces }, index) => {
    const text = pieces.flatMap((piece) => (piece.kind === 'content' ? piece.text : [])).join('')
    return {
      text: request.body['echo'] === true ? `${request.userText}${text}` : text,
      index,
      logprobs: null,
      finish_reason: finishReasons[finish],
    }
  })
  const text = JSON.stringify({ ...headOf(said), choices: list })
  return usage === null ? text : `${text.slice(0, -1)},"usage":${usageOf(usage)}}`
}

function headOf({ callId, createdSeconds, request }: Said) {
  return { id: `cmpl-${callId}`, object: 'text_completion', created: createdSeconds, model: request.model }
}
