import type { WireName } from '#wire/wire-names.ts'

/** A part of a response that does not reach every client. */
export interface AnswerLoss {
  readonly what: string
  /** Wires whose providers send it. */
  readonly from: readonly WireName[]
  /** Wires whose clients do not get it, or get something else. */
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
      'kept in `extra_content` of the tool call that follows, for clients that give it back; lost without a call',
  },
  {
    what: 'The order of reasoning, text and calls in a whole answer',
    from: ['messages', 'generate', 'responses'],
    to: ['chat'],
    becomes: 'one reasoning, one text, then the calls; a stream keeps the order',
  },
  {
    what: 'Pieces of several tool calls that are written at the same time',
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
    what: 'Blocks of tools that the provider runs, images and sound that it makes',
    from: all,
    to: all,
    becomes: 'lost; requests that ask for them are refused before',
  },
  {
    what: 'Which stop sequence was met',
    from: ['messages'],
    to: ['chat', 'generate', 'responses'],
    becomes: 'lost; that the answer ended is kept',
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
    becomes: 'text, and a finish that says refusal',
  },
  {
    what: 'A call that the model got wrong',
    from: ['generate'],
    to: ['chat', 'messages', 'responses'],
    becomes: 'an error at the end of the stream; of a whole answer only its finish',
  },
  {
    what: 'How long what was written to the cache is kept',
    from: ['messages'],
    to: ['chat', 'generate', 'responses'],
    becomes: 'one count; in generate a part of the prompt. The ledger keeps them apart',
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
