import { useState, type ReactNode } from 'react'
import { inDollars } from '#explain/amounts-in-explanation-text.ts'
import type { Finding } from '#sdk/generated/types.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { Dialog } from '#web/ui/dialog-sheet-and-menu.tsx'
import { State, type Tone } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import type { Known } from '#web/ui/known-words.ts'
import { call } from '../../operations/use-operation.ts'
import { CopyAs, Snippets } from '../../copy-as-code.tsx'
import { useNamedCall, type NamedCall } from '../../operations/operation-input.ts'
import { reloadAfter } from '../../operations/reload-outdated-responses.ts'
import { scopeOptions, useScope } from '../../application-and-mode.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { Go } from '../../shell/console-links.tsx'
import { placeOf, safeFix } from './safe-fixes.ts'

const tones: Readonly<Record<string, readonly [Tone, string]>> = {
  error: ['negative', 'Error'],
  warning: ['held', 'Warning'],
  notice: ['neutral', 'Notice'],
} satisfies Readonly<Record<Known<Finding['severity']>, readonly [Tone, string]>>

export function FindingRow({
  finding: { code, fix, message, resource, severity },
}: {
  readonly finding: Finding
}): ReactNode {
  const named = useNamedCall(fix.call)
  const may = useMay('developer')
  const mend = fix.call && safeFix(fix.call.operation)
  const place = placeOf(resource.type, resource.id)
  const [tone, words] = tones[severity] ?? (['neutral', severity] as const)
  return (
    <li className="flex flex-col gap-2 border-b border-line py-4 text-14" data-finding={code}>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-13">
        <State tone={tone} words={words} />
        <span className="text-ink-2">
          {resource.type.replaceAll('_', ' ')}{' '}
          {place ? (
            <Go to={place.to} search={place.search}>
              <bdi className="wrap-anywhere">{resource.id}</bdi>
            </Go>
          ) : (
            <bdi className="wrap-anywhere">{resource.id}</bdi>
          )}
        </span>
        <code className="ml-auto text-12 text-ink-3">{code}</code>
      </p>
      <p className="max-w-prose wrap-anywhere">{inDollars(message, moneyText)}</p>
      <p className="max-w-prose wrap-anywhere text-ink-2">{inDollars(fix.say, moneyText)}</p>
      {fix.call && (
        <div className="flex min-h-7 flex-wrap items-center gap-2">
          {named && mend && <MendButton named={named} words={mend.words} may={may} />}
          {named && (
            <CopyAs operation={named.operation} input={named.input} words="API request for the fix" />
          )}
        </div>
      )}
    </li>
  )
}

function MendButton({
  may,
  named,
  words,
}: {
  readonly named: NamedCall
  readonly words: string
  readonly may: boolean
}): ReactNode {
  const scope = useScope()
  const queries = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const run = async (): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      await call(named.operation, named.input as never, scopeOptions(scope))
      setAsked(false)
      toast(`${words}: done. Running the checks again.`)
      await reloadAfter(queries, named.operation, named.input)
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button
        size="small"
        disabled={!may}
        title={may ? undefined : 'Running a fix requires the developer role.'}
        onClick={() => setAsked(true)}
      >
        {words}
      </Button>
      {isAsked && (
        <Dialog
          isOpen
          onClose={() => setAsked(false)}
          title={`${words}?`}
          about="Sends this request with your permissions. You can undo the fix on the page of the resource."
        >
          <div className="flex flex-col gap-4">
            <Snippets operation={named.operation} input={named.input} />
            {failure !== null && <FailureNote error={failure} />}
            <div className="flex gap-2">
              <Button kind="primary" isBusy={isBusy} onClick={() => void run()}>
                {words}
              </Button>
              <Button kind="quiet" onClick={() => setAsked(false)}>
                Cancel
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  )
}
