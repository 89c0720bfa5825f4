import { useState, type ReactNode } from 'react'
import { CodeBlock } from '#web/ui/copy.tsx'
import { Select } from './ui/select.tsx'

/** The same code for several clients, one of which is shown. */
export function SnippetTabs({
  mask = (text) => text,
  snippets,
}: {
  /** Masks a secret on screen. The copied text contains it. */
  readonly mask?: (text: string) => string
  readonly snippets: readonly { readonly id: string; readonly words: string; readonly text: string }[]
}): ReactNode {
  const [id, choose] = useState(snippets[0]?.id ?? '')
  const shown = snippets.find((one) => one.id === id)
  return (
    <div className="flex flex-col gap-2">
      <Select
        label="Client"
        value={id}
        options={snippets.map((one) => [one.id, one.words] as const)}
        onChange={choose}
      />
      {shown && <CodeBlock label={`For ${shown.words}`} text={shown.text} shown={mask(shown.text)} />}
    </div>
  )
}
