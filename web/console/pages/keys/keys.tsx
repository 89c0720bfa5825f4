import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { Empty } from '#web/ui/status-notes-and-placeholders.tsx'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { KeyTable } from '../../keys/key-table.tsx'
import { MintKey } from '../../keys/create-key-form.tsx'
import { ChoiceFilter, SearchField } from '../../filter-fields.tsx'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { useUserSuggestions } from '../../end-user-suggestions.ts'

const states = ['active', 'revoked', 'expired'] as const

export default function Keys(): ReactNode {
  const { act, q, state: asked, user } = useSearchTexts()
  const state = states.find((one) => one === asked)
  const isFiltered = user !== undefined || q !== undefined || state !== undefined
  const setSearch = useSetSearch()
  const mayChange = useMay('developer')
  const suggestions = useUserSuggestions(user ?? '')
  const mint = mayChange && (
    <Button kind="primary" onClick={() => setSearch({ act: 'new' })}>
      Create key
    </Button>
  )
  return (
    <>
      <PageHead
        title="Keys"
        about="End users call the gateway with keys, and spend from their balance."
        action={
          <>
            <CopyAs operation="keys.list" input={user === undefined ? {} : { endUserId: user }} />
            {mint}
          </>
        }
      />
      <KeyTable
        endUserId={user}
        search={q}
        state={state}
        tools={
          <>
            <SearchField name="q" label="Search by name or key" />
            <SearchField name="user" label="End user ID" isExact suggestions={suggestions} />
            <ChoiceFilter
              name="state"
              label="State"
              options={[
                ['', 'All states'],
                ['active', 'Active'],
                ['revoked', 'Revoked'],
                ['expired', 'Expired or replaced'],
              ]}
            />
          </>
        }
        empty={
          !isFiltered ? (
            <Empty
              title="No keys yet"
              action={mint}
              command={<CommandLine operation="keys.mint" input={{ endUserId: 'ada' }} />}
            >
              Create a key so an end user can call the gateway. The secret is shown once, when the key is
              created.
            </Empty>
          ) : (
            <Empty
              title="No keys match these filters"
              action={
                <Button onClick={() => setSearch({ user: null, q: null, state: null })}>Show all keys</Button>
              }
            />
          )
        }
      />
      {act === 'new' && <MintKey endUserId={user ?? ''} onClose={() => setSearch({ act: null })} />}
    </>
  )
}
