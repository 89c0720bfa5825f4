import type { WireName } from '#wire/wire-names.ts'

/** A part of a response that does not reach every client. */
export interface AnswerLoss {
  readonly what: string
  /** Wires whose providers send it. */
  readonly from: readonly WireName[]
  /** Wires whose clients do not get the part, or get a replacement. */
  readonly to: readonly WireName[]
  /** The replacement that the client gets. */
  readonly becomes: string
}

const all: readonly WireName[] = ['chat', 'messages', 'generate', 'responses']

/**
 * Losses of responses to a client of another wire. Used only by the reference: decoders and encoders follow the fields
 * of their wires (answers.test.ts checks the rest).
 */
export const answerLosses: readonly AnswerLoss[] = [
  {
    what: 'Seals of reasoning (signatures, encrypted content)',
    from: all,
    to: ['chat'],
    becomes:
      'kept in `extra_content` of the tool call that follows, for clients that send it back; lost without a call',
  },
  {
    what: 'The order of reasoning, text and calls in a non-streaming response',
    from: ['messages', 'generate', 'responses'],
    to: ['chat'],
    becomes: 'one reasoning, one text, then the calls; a stream keeps the order',
  },
  {
    what: 'Interleaved pieces of concurrent tool calls',
    from: ['chat', 'responses'],
    to: ['messages', 'generate'],
    becomes: 'one call after the other',
  },
  {
    what: 'Log probabilities',
    from: ['chat', 'generate', 'responses'],
    to: ['messages'],
    becomes: 'lost',
  },
  {
    what: 'Citations of web pages',
    from: all,
    to: ['messages'],
    becomes: 'lost',
  },
  {
    what: 'Citations of documents, safety ratings, grounding, annotations of files',
    from: all,
    to: all,
    becomes: 'lost',
  },
  {
    what: 'Blocks of tools that the provider runs, and generated images and sound',
    from: all,
    to: all,
    becomes: 'lost; requests for them are rejected',
  },
  {
    what: 'The stop sequence that ended the answer',
    from: ['messages'],
    to: ['chat', 'generate', 'responses'],
    becomes: 'lost; the finish is kept',
  },
  {
    what: 'A pause of a long turn',
    from: ['messages', 'generate'],
    to: ['chat', 'responses'],
    becomes: 'the end of the answer',
  },
  {
    what: 'A refusal in its own field',
    from: ['chat', 'responses'],
    to: ['messages', 'generate'],
    becomes: 'text, with a refusal as the finish',
  },
  {
    what: 'A malformed tool call',
    from: ['generate'],
    to: ['chat', 'messages', 'responses'],
    becomes: 'an error at the end of a stream; in a non-streaming response, only the finish',
  },
  {
    what: 'The lifetimes of cache writes',
    from: ['messages'],
    to: ['chat', 'generate', 'responses'],
    becomes: 'one count, which generate includes in the prompt; the ledger keeps the counts separate',
  },
  {
    what: 'Safety checks before a computer acts, which only models of OpenAI have',
    from: ['chat', 'messages', 'generate'],
    to: ['responses'],
    becomes: 'an empty list; the client checks the actions itself',
  },
  {
    what: 'The service tier, fingerprints and other fields about the provider',
    from: all,
    to: all,
    becomes: 'lost; the ledger keeps the tier',
  },
]
