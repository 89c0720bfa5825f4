import { wireNames, type WireName } from '#wire/names-of-wires-and-tasks.ts'

export interface AnswerLoss {
  readonly what: string
  readonly from: readonly WireName[]
  readonly to: readonly WireName[]
  readonly becomes: string
}

/** The gateway sends signatures of reasoning to clients of other wires, which can send the signatures back. */
const signing: readonly WireName[] = wireNames.filter((wire) => wire !== 'converse' && wire !== 'cohere')

/**
 * Parts of responses that a client of another wire does not get. Only the reference documentation uses this list. The
 * decoders and encoders convert each field that both wires have (documented-answers.test.ts and
 * response-conversion.test.ts).
 */
export const answerLosses: readonly AnswerLoss[] = [
  {
    what: 'Signatures and encrypted content of reasoning',
    from: signing,
    to: ['chat'],
    becomes:
      'kept in `extra_content` of the next tool call, for clients that send it back; lost if no tool call follows',
  },
  {
    what: 'The order of reasoning, text and tool calls in a non-streaming response',
    from: ['messages', 'generate', 'responses', 'converse', 'cohere'],
    to: ['chat'],
    becomes: 'one reasoning block, then one text, then the tool calls; a stream keeps the order',
  },
  {
    what: 'The order of texts and tool calls in a non-streaming response',
    from: ['messages', 'generate', 'responses', 'converse'],
    to: ['cohere'],
    becomes: 'reasoning and texts in their order, then the tool calls; a stream keeps the order',
  },
  {
    what: 'Signatures and encrypted content of reasoning',
    from: [...signing, 'converse'],
    to: ['cohere'],
    becomes: 'lost; the reasoning is not sent back to the provider',
  },
  {
    what: 'Interleaved chunks of parallel tool calls',
    from: ['chat', 'responses'],
    to: ['messages', 'generate', 'converse', 'cohere'],
    becomes: 'each tool call is returned whole before the next one',
  },
  {
    what: 'Log probabilities',
    from: ['chat', 'generate', 'responses'],
    to: ['messages', 'converse', 'cohere'],
    becomes: 'lost',
  },
  {
    what: 'Citations of web pages',
    from: wireNames.filter((wire) => wire !== 'cohere'),
    to: ['messages', 'converse', 'cohere'],
    becomes: 'lost',
  },
  {
    what: 'Citations of documents, safety ratings, grounding, annotations of files',
    from: wireNames,
    to: wireNames,
    becomes: 'lost',
  },
  {
    what: 'Blocks of tools that the provider runs, and generated images and audio',
    from: wireNames,
    to: wireNames,
    becomes: 'lost; requests for them are rejected',
  },
  {
    what: 'The stop sequence that ended the response',
    from: ['messages'],
    to: ['chat', 'generate', 'responses', 'converse', 'cohere'],
    becomes: 'lost; the finish reason is kept',
  },
  {
    what: 'Signatures of reasoning, and encrypted reasoning',
    from: ['converse'],
    to: signing,
    becomes: 'lost; the reasoning is not sent back to the provider',
  },
  {
    what: 'A pause of a long turn',
    from: ['messages', 'generate'],
    to: ['chat', 'responses', 'converse', 'cohere'],
    becomes: 'returned as the end of the response',
  },
  {
    what: 'A refusal in its own field',
    from: ['chat', 'responses'],
    to: ['messages', 'generate', 'converse'],
    becomes: 'returned as text, with a refusal as the finish reason',
  },
  {
    what: 'A refusal, and an answer that the provider filtered',
    from: wireNames.filter((wire) => wire !== 'cohere'),
    to: ['cohere'],
    becomes: 'returned as the end of the response',
  },
  {
    what: 'A malformed tool call',
    from: ['generate', 'converse'],
    to: ['chat', 'messages', 'responses', 'converse', 'cohere'],
    becomes:
      'returned as an error at the end of a stream; in a non-streaming response, only as the finish reason',
  },
  {
    what: 'The lifetimes of cache writes',
    from: ['messages', 'converse'],
    to: ['chat', 'generate', 'responses', 'cohere'],
    becomes:
      'returned as one count, which generate includes in the prompt tokens; the ledger keeps separate counts',
  },
  {
    what: 'Safety checks before a computer action, which only OpenAI models have',
    from: ['chat', 'messages', 'generate'],
    to: ['responses'],
    becomes: 'returned as an empty list; the client must check the actions itself',
  },
  {
    what: 'The service tier',
    from: wireNames.filter((wire) => wire !== 'cohere'),
    to: ['chat', 'messages', 'converse', 'cohere'],
    becomes: 'lost; the ledger keeps the tier',
  },
  {
    what: 'Fingerprints and other fields about the provider',
    from: wireNames,
    to: wireNames,
    becomes: 'lost',
  },
]
