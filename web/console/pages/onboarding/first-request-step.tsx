import { useState, type ReactNode } from 'react'
import { codeLanguages, requestCode, type CodeLanguage } from '#sdk/client-snippets.ts'
import { gatewayOf } from '#sdk/clients.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { Segments } from '#web/ui/tabs-segments-and-switch.tsx'
import { CodeBlock } from '#web/ui/code-block.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { Note, Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { When } from '#web/ui/formatted-values.tsx'
import { useAllRows } from '../../load-all-rows.ts'
import { useAnswer } from '../../operations/use-operation.ts'
import { Go } from '../../shell/console-links.tsx'
import { useFirstKey } from './first-key-in-memory.ts'
import type { StepProps } from './setup-step-props.ts'

export function CallStep({ application }: StepProps): ReactNode {
  const app = useAnswer('apps.show', { slug: application }).data
  const models = useAllRows('models.list').data?.rows
  const held = useFirstKey()
  const [client, setClient] = useState<CodeLanguage>('curl')
  if (!app || !models) return <Skeleton className="h-32" />
  const name = models.find(({ status }) => status === 'serving')?.name ?? app.models[0] ?? 'name'
  const codeWith = (key: string | null): string =>
    requestCode(
      client,
      { wire: 'chat', model: name, prompt: 'Hello', isStreamed: false },
      { gateway: gatewayOf(app), key },
    )
  return (
    <div className="flex flex-col gap-4">
      <Segments label="Client" value={client} options={codeLanguages} onChange={setClient} />
      <CodeBlock label={`Request with ${client}`} text={codeWith(null)} />
      <div className="flex flex-wrap items-center gap-2">
        {held && (
          <CopyButton text={codeWith(held.key)} label="Copy code with key" words="Copy code with key" />
        )}
        <Go to="/playground" search={{ model: name }} className={buttonClass()}>
          Send in playground
        </Go>
      </div>
      <NotSettled />
      <p role="status" className="flex items-center gap-2 text-14 text-ink-2">
        <span aria-hidden className="size-2 rounded-full bg-held motion-safe:animate-pulse" />
        Waiting for the request. Its receipt appears here.
      </p>
    </div>
  )
}

function NotSettled(): ReactNode {
  const { data } = useAnswer('requests.list', { limit: 1 }, { everyMs: 2_000 })
  const call = data?.data[0]
  if (!call || call.status === 'settled' || call.status === 'in_flight') return null
  return (
    <Note
      tone="negative"
      title={
        <>
          A request arrived <When at={call.createdAt} /> but did not settle.
        </>
      }
      action={
        <Go to="/requests/$id" params={{ id: call.id }}>
          View request
        </Go>
      }
    >
      <code className="text-13">{call.errorCode ?? call.status}</code>
    </Note>
  )
}
