/**
 * Draws sentences and file names at random, for readers who have not seen the code. They rate each sentence as clear,
 * read twice or unclear, and guess the content of each file from its name.
 */
import { createHash } from 'node:crypto'
import { checkProse } from './check-prose.ts'

/** Kinds of text in the order of the sample. A file has the first kind that matches it. */
const kinds = [
  { name: 'API', of: /^openapi\.json$/ },
  { name: 'guides and records', of: /\.md$/ },
  { name: 'pages, commands and errors', of: /^(?:web\/|src\/cli\/|src\/domain\/errors\.ts)/ },
  { name: 'comments and test titles', of: /./ },
] as const
const sentencesOfKind = 50
const fileNames = 60

export interface Sample {
  readonly sentences: readonly { readonly kind: string; readonly file: string; readonly sentence: string }[]
  readonly names: readonly string[]
}

/** @returns the same sample for the same seed and files */
export async function sampleOf(
  files: readonly { readonly path: string; readonly text: string }[],
  seed: string,
): Promise<Sample> {
  const { findings } = await checkProse(files, [], [{ name: 'any', finds: () => true, instead: '' }])
  const unique = [...new Map(findings.map((finding) => [finding.sentence, finding])).values()]
  const kindOf = (path: string) => kinds.find(({ of }) => of.test(path))?.name
  return {
    sentences: kinds.flatMap(({ name }) => {
      const ofKind = unique.filter(({ file }) => kindOf(file) === name)
      return shuffled(ofKind, seed, ({ sentence }) => sentence)
        .slice(0, sentencesOfKind)
        .map(({ file, sentence }) => ({ kind: name, file, sentence }))
    }),
    names: shuffled(
      files.map(({ path }) => path).filter((path) => /^(?:src|web|tests|tools|bench)\//.test(path)),
      seed,
      (path) => path,
    ).slice(0, fileNames),
  }
}

/** Sorts by a hash of the seed and the text. When one text changes, the order of all other texts stays the same. */
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
