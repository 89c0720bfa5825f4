import { codePassages } from './code-passages.ts'
import { pythonPassages } from './python-passages.ts'
import type { Passage } from './syntax-tree-of-passages.ts'

export function filePassages(path: string, text: string): Passage[] {
  if (path.endsWith('.py')) return pythonPassages(text)
  const isTest = path.startsWith('tests/') || /\.(?:test|model)\.\w+$/.test(path)
  // In these files, people read the strings: pages, the command line, and the table of errors.
  const showsText = /^(?:web\/|src\/cli\/|src\/domain\/errors\.ts)/.test(path)
  return codePassages(path, text, { isTest, showsText })
}
