/** Readers who have not seen the code rate each sentence, and guess the content of each file from its name. */
import { createHash } from 'node:crypto'
import { readableTexts, type ReadableText } from './sentences-in-reading-order.ts'

const kinds = [
  'API',
  'guides and records',
  'pages, commands and errors',
  'comments and test titles',
] satisfies readonly ReadableText['kind'][]
/** Column of STYLE.md with sentences that are deliberately hard to read. */
const badExamples = 'before'
const sentencesOfKind = 50
const fileNames = 60

export interface Sample {
  readonly sentences: readonly (ReadableText & { readonly file: string })[]
  readonly names: readonly string[]
}

/** @returns the same sample for the same seed and files */
export function sampleOf(
  files: readonly { readonly path: string; readonly text: string }[],
  seed: string,
): Sample {
  const texts = files.flatMap(({ path, text }) =>
    readableTexts(path, text).map((found) => ({ ...found, file: path })),
  )
  const unique = [
    ...new Map(
      texts.filter(({ context }) => context.at(-1) !== badExamples).map((text) => [text.sentence, text]),
    ).values(),
  ]
  return {
    sentences: kinds.flatMap((name) => {
      const ofKind = unique.filter(({ kind }) => kind === name)
      return shuffled(ofKind, seed, ({ sentence }) => sentence).slice(0, sentencesOfKind)
    }),
    names: shuffled(
      files.map(({ path }) => path).filter((path) => /^(?:src|web|tests|tools|bench)\//.test(path)),
      seed,
      (path) => path,
    ).slice(0, fileNames),
  }
}

/** When one text changes, the order of all other texts stays the same. */
function shuffled<T>(items: readonly T[], seed: string, textOf: (item: T) => string): T[] {
  const hash = (item: T) =>
    createHash('sha256')
      .update(`${seed}\n${textOf(item)}`)
      .digest('hex')
  return items
    .map((item) => ({ item, at: hash(item) }))
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ item }) => item)
}
