/** The step is complete when the provider has responded. */
import type { ReactNode } from 'react'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { useAllRows } from '../../load-all-rows.ts'
import { ConnectAccount } from '../../providers/connect-account-form.tsx'
import { ProbePart } from '../../providers/probe-account.tsx'
import { useScope } from '../../application-and-mode.ts'
import { useMay } from '../../sign-in/member-session.ts'

export function ProviderStep(): ReactNode {
  const { mode } = useScope()
  const may = useMay('admin')
  const { data } = useAllRows('providers.list')
  if (!data) return <Skeleton className="h-24" />
  const account = data.rows.find(({ kind }) => mode === 'test' || kind !== 'simulator')
  if (account && mode === 'live') return <ProbePart account={account} />
  if (!may) return <p className="text-14 text-ink-2">Connecting an account requires the admin role.</p>
  return <ConnectAccount onDone={() => {}} />
}
