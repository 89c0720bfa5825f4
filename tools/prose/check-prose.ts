/**
 * Checks texts by the rules of prose-rules.ts, with textlint's kernel and its Markdown parser. Each row of the table of
 * rules becomes a textlint rule that checks the sentences of a node.
 */
import { extname } from 'node:path'
import { ASTNodeTypes, type TxtNode } from '@textlint/ast-node-types'
import { TextlintKernel, type TextlintKernelRule, type TextlintPluginProcessor } from '@textlint/kernel'
import { parse as parseMarkdown } from '@textlint/markdown-to-ast'
import type { Allowed } from './allowed-sentences.ts'
import { apiTexts } from './api-passages.ts'
import { filePassages } from './file-passages.ts'
import { proseRules, type ProseRule } from './prose-rules.ts'
import { sentencesOf, type Sentence } from './split-into-sentences.ts'
import { linePassages, textTree } from './syntax-tree-of-passages.ts'

export interface Finding {
  readonly file: string
  /** Line in the file, or path in the JSON document. */
  readonly place: string
  readonly rule: string
  readonly sentence: string
  readonly instead: string
}

export interface Checked {
  readonly findings: readonly Finding[]
  /** Entries of the list of allowed sentences that matched no sentence, although their file was checked. */
  readonly unused: readonly Allowed[]
}

const codeExtensions = ['.ts', '.tsx', '.mts', '.mjs', '.js']

export async function checkProse(
  files: Iterable<{ readonly path: string; readonly text: string }>,
  allowed: readonly Allowed[],
  checked: readonly ProseRule[] = proseRules,
): Promise<Checked> {
  const kernel = new TextlintKernel()
  const rules = checked.map(toTextlint)
  const found: Finding[] = []
  const paths = new Set<string>()
  for (const { path, text } of files) {
    paths.add(path)
    found.push(...(path.endsWith('.json') ? await checkApi(path, text) : await check(path, text)))
  }
  const used = new Set<Allowed>()
  const findings = found.filter((finding) => {
    const entries = allowed.filter(
      ({ file, pattern }) => file === finding.file && pattern.test(finding.sentence),
    )
    for (const entry of entries) used.add(entry)
    return entries.length === 0
  })
  return { findings, unused: allowed.filter((entry) => paths.has(entry.file) && !used.has(entry)) }

  async function check(path: string, text: string): Promise<Finding[]> {
    const { messages } = await kernel.lintText(text, {
      filePath: path,
      ext: extname(path),
      plugins: [{ pluginId: 'prose', plugin: { Processor: Reader } }],
      rules,
    })
    return messages.map(({ ruleId, message, loc }) => {
      const rule = checked.find(({ name }) => name === ruleId)
      // The kernel reports a file that it cannot read as a message without a rule.
      if (!rule) throw new Error(`${path}: ${message}`)
      return {
        file: path,
        place: `${loc.start.line}`,
        rule: rule.name,
        sentence: message.slice(rule.name.length + 1),
        instead: rule.instead,
      }
    })
  }

  /** Write each text of the document as one line of a plain text, so that line numbers identify the paths. */
  async function checkApi(path: string, text: string): Promise<Finding[]> {
    const lines = apiTexts(JSON.parse(text)).flatMap((entry) =>
      entry.text.split(/\n+/).map((line) => ({ ...entry, text: line.replace(/^\s*(?:[-*]|\d+\.)\s+/, '') })),
    )
    const inLines = await check(`${path}.txt`, lines.map((line) => line.text).join('\n'))
    return inLines.map((finding) => {
      const line = lines[Number(finding.place) - 1]
      const others = line && line.places > 1 ? ` (and ${line.places - 1} more)` : ''
      return { ...finding, file: path, place: `${line?.path}${others}` }
    })
  }
}

type Messages = Parameters<ReturnType<TextlintPluginProcessor['processor']>['postProcess']>[0]

class Reader {
  availableExtensions() {
    return ['.md', '.txt', '.py', ...codeExtensions]
  }

  processor(extension: string) {
    return {
      preProcess: (text: string, path = '') => {
        if (extension === '.md') return parseMarkdown(text)
        return textTree(text, extension === '.txt' ? linePassages(text) : filePassages(path, text))
      },
      postProcess: (messages: Messages, path = '') => ({ messages, filePath: path }),
    }
  }
}

const known = new WeakMap<TxtNode, Sentence[]>()

function toTextlint({ name, finds }: ProseRule): TextlintKernelRule {
  return {
    ruleId: name,
    rule: ({ report, RuleError, locator }) => {
      const visit = (node: TxtNode) => {
        let sentences = known.get(node)
        if (!sentences) known.set(node, (sentences = sentencesOf(node)))
        for (const sentence of sentences) {
          if (!finds(sentence)) continue
          const at = sentence.start - node.range[0]
          // The kernel drops a message if another message has the same text and place, so add the name of the rule.
          report(node, new RuleError(`${name} ${sentence.text}`, { padding: locator.at(at) }))
        }
      }
      return {
        [ASTNodeTypes.Paragraph]: visit,
        [ASTNodeTypes.Header]: visit,
        [ASTNodeTypes.TableCell]: visit,
      }
    },
  }
}
