import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { PageHead } from '#web/ui/layout.tsx'
import { Empty } from '#web/ui/state.tsx'
import { CommandLine, CopyAs } from '../../copy-as.tsx'
import { KeyTable } from '../../keys/key-table.tsx'
import { MintKey } from '../../keys/mint-key.tsx'
import { SearchField } from '../../search-field.tsx'
import { useSearchTexts, useSetSearch } from '../../search.ts'
import { useMay } from '../../session.ts'
import { useUserSuggestions } from '../../user-suggestions.ts'

export default function Keys(): ReactNode {
  const { act, user } = useSearchTexts()
  const setSearch = useSetSearch()
  const mayChange = useMay('developer')
  const suggestions = useUserSuggestions(user ?? '')
  const mint = mayChange && (
    <Button kind="primary" onClick={() => setSearch({ act: 'new' })}>
      Mint a key
    </Button>
  )
  return (
    <>
      <PageHead
        title="Keys"
        about="With a key a person calls the gateway and spends from their balance."
        action={
          <>
            <CopyAs operation="keys.list" input={user === undefined ? {} : { endUserId: user }} />
            {mint}
          </>
        }
      />
      <KeyTable
        endUserId={user}
        tools={
          <SearchField name="user" label="Of one end user: their id" isExact suggestions={suggestions} />
        }
        empty={
          user === undefined ? (
            <Empty
              title="No key yet."
              action={mint}
              command={<CommandLine operation="keys.mint" input={{ endUserId: 'ada' }} />}
            >
              Keys of all end users, those that were revoked too. The secret of a key is shown once, when it
              is minted.
            </Empty>
          ) : (
            <Empty
              title="They have no key."
              action={<Button onClick={() => setSearch({ user: null })}>Show the keys of everyone</Button>}
            />
          )
        }
      />
      {act === 'new' && <MintKey endUserId={user ?? ''} onClose={() => setSearch({ act: null })} />}
    </>
  )
}
