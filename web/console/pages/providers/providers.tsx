import type { ReactNode } from 'react'
import type { ProviderAccount } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { exactTimeText } from '#web/ui/number-text.ts'
import { Sheet } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Empty, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Id, Nothing, Percent, When } from '#web/ui/formatted-values.tsx'
import { RowsAge } from '../../reload-button-with-age.tsx'
import { useAnswer, useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { useScope } from '../../application-and-mode.ts'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { Tabs } from '#web/ui/tabs-segments-and-switch.tsx'
import { useHasNoApp } from '../../shell/application-and-mode-switcher.tsx'
import { AccountSheet } from './account-sheet.tsx'
import { ConnectAccount } from '../../providers/connect-account-form.tsx'
import { Catalogue } from './published-prices.tsx'
import { healthOfAccount } from '../../providers/health-words.ts'
import { kindWords, stateOf } from '../../providers/provider-kinds.ts'

export default function Providers(): ReactNode {
  const { act, open, view } = useSearchTexts()
  const setSearch = useSetSearch()
  const may = useMay('admin')
  const list = useRows('providers.list', { limit: 100 }, { everyMs: 60_000 })
  // Accounts can exist before the first application.
  const hasNoApp = useHasNoApp()
  const health = useAnswer('health', { window: '24h' }, { isEnabled: !hasNoApp }).data
  const { mode } = useScope()
  const attempts = (label: string) => {
    const own = healthOfAccount(label, health)
    return own === undefined || own.calls === 0 ? null : own
  }
  const noAttempts = (kind: string): ReactNode => (
    <Nothing
      reason={
        mode === 'test' && kind !== 'simulator'
          ? 'In test mode, the simulator serves all requests'
          : 'No attempts in 24 hours'
      }
    />
  )
  const connect = (
    <Button
      kind="primary"
      disabled={!may}
      title={may ? undefined : 'Connecting an account requires the admin role.'}
      onClick={() => setSearch({ act: 'new', open: null })}
    >
      Connect account
    </Button>
  )
  const columns: readonly Column<ProviderAccount>[] = [
    { id: 'label', head: 'Account', cell: ({ label }) => <Id text={label} className="max-w-48" /> },
    { id: 'kind', head: 'Kind', cell: ({ kind }) => kindWords(kind) },
    {
      id: 'url',
      head: 'Address',
      cell: ({ baseUrl }) =>
        baseUrl === null ? <Nothing reason="Built in" /> : <Id text={baseUrl} className="max-w-64" />,
    },
    {
      id: 'key',
      head: 'API key',
      cell: ({ lastFour }) =>
        lastFour === null ? <Nothing reason="No API key" /> : <code className="text-13">••••{lastFour}</code>,
    },
    {
      id: 'set',
      head: 'Key set',
      cell: ({ credentialSetAt }) => (
        <When
          at={credentialSetAt}
          isRealTime
          reason="No API key, or the time at which the key was set is not known"
        />
      ),
    },
    {
      id: 'calls',
      head: 'Attempts',
      unit: '24 h',
      isNumber: true,
      cell: ({ kind, label }) => attempts(label)?.calls ?? noAttempts(kind),
    },
    {
      id: 'failed',
      head: 'Failed',
      unit: '24 h',
      isNumber: true,
      cell: ({ kind, label }) => {
        const own = attempts(label)
        return own === null ? noAttempts(kind) : <Percent part={own.failureRate} />
      },
    },
    {
      id: 'state',
      head: 'Status',
      cell: (account) => (
        <State
          {...stateOf(account, healthOfAccount(account.label, health))}
          {...(account.credentialRefused && {
            title: `Requests rejected since ${exactTimeText(account.credentialRefused.since)}: ${account.credentialRefused.refusals}`,
          })}
        />
      ),
    },
    {
      id: 'created',
      head: 'Connected',
      isExtra: true,
      cell: ({ createdAt }) => <When at={createdAt} isRealTime />,
    },
  ]
  const accounts = (
    <DataTable
      label="Provider accounts"
      name="providers"
      columns={columns}
      rows={list}
      rowKey={({ id }) => id}
      onOpen={({ label }) => setSearch({ open: label, act: null })}
      isChosen={({ id, label }) => open === label || open === id}
      tools={<RowsAge of={list} />}
      empty={
        <Empty
          title="No accounts yet"
          action={connect}
          command={
            <CommandLine
              operation="providers.connect"
              input={{ label: 'main', kind: 'openai', apiKey: '<the key>' }}
            />
          }
        >
          <p>
            Connect an account to send requests to its models with your own API key. In test mode, the
            built-in simulator responds instead, at no cost.
          </p>
        </Empty>
      }
    />
  )
  return (
    <>
      <PageHead
        title="Providers"
        about="Your accounts at model providers. API keys are stored encrypted and never shown again."
        action={
          <>
            <CopyAs operation="providers.list" />
            {connect}
          </>
        }
      />
      <Tabs
        label="Accounts and published prices"
        chosen={view === 'catalogue' ? 'catalogue' : 'accounts'}
        onChoose={(id) => setSearch({ view: id === 'accounts' ? null : id, published: null })}
        tabs={[
          { id: 'accounts', words: 'Accounts', content: accounts },
          { id: 'catalogue', words: 'Published prices', content: <Catalogue /> },
        ]}
      />
      {act === 'new' && (
        <Sheet
          isOpen
          onClose={() => setSearch({ act: null })}
          title="Connect account"
          about="The gateway contacts the provider only when you probe the account or a request uses it."
        >
          <ConnectAccount
            onCancel={() => setSearch({ act: null })}
            onDone={(label) => setSearch({ act: null, open: label })}
          />
        </Sheet>
      )}
      {open !== undefined && act !== 'new' && <AccountSheet key={open} id={open} health={health} />}
    </>
  )
}
