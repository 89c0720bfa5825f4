import type { ReactNode } from 'react'
import type { PortalRequestsInput } from '#sdk/portal.ts'
import { CallRow } from '#web/portal/request-rows.tsx'
import { useAnswer, useFresh } from '#web/portal/response-cache.ts'
import { Go, useSearch } from '#web/portal/portal-router.tsx'
import { useRows } from '#web/portal/paged-list-hook.ts'
import { client } from '#web/portal/end-user-session.ts'
import { List } from '#web/portal/ui/lists-and-rows.tsx'
import { PageTitle } from '#web/portal/ui/page-title-and-sections.tsx'
import { Shown } from '#web/portal/ui/loaded-content.tsx'
import { MoreRows } from '#web/portal/ui/load-more-rows-button.tsx'
import { Select } from '#web/portal/ui/select.tsx'

const states = [
  ['', 'All'],
  ['settled', 'Charged'],
  ['refused', 'Rejected'],
  ['released', 'Not charged'],
  ['in_flight', 'Running'],
] as const

export default function Activity(): ReactNode {
  const [search, setSearch] = useSearch()
  const keys = useAnswer('keys', () => client.portal.keys({ limit: 200 }))
  const usage = useAnswer('usage', () => client.portal.usage())
  const [status, model, keyId] = ['status', 'model', 'key'].map((name) => search.get(name) ?? '')
  const filter: PortalRequestsInput = {
    // The server returns a message for an invalid status.
    ...(status && { status: status as NonNullable<PortalRequestsInput['status']> }),
    ...(model && { model }),
    ...(keyId && { keyId }),
  }
  const rows = useRows(`requests ${JSON.stringify(filter)}`, (part) =>
    client.portal.requests({ ...filter, ...part }),
  )
  useFresh(['requests'], 15_000)
  const isFiltered = Object.keys(filter).length > 0
  return (
    <>
      <PageTitle title="Activity" about="All your requests, newest first. Times are in UTC." />
      <div className="mb-6 grid grid-cols-3 gap-2 phone:gap-3">
        <Select
          label="Status"
          value={status ?? ''}
          options={states}
          onChange={(next) => setSearch({ status: next })}
        />
        <Select
          label="Model"
          value={model ?? ''}
          options={[
            ['', 'All models'],
            ...(usage.value?.rows ?? []).map(
              ({ requestedModel }) => [requestedModel, requestedModel] as const,
            ),
          ]}
          onChange={(next) => setSearch({ model: next })}
        />
        <Select
          label="Key"
          value={keyId ?? ''}
          options={[
            ['', 'All keys'],
            ...(keys.value?.data ?? []).map(
              ({ id, lastFour, name }) => [id, `${name} …${lastFour}`] as const,
            ),
          ]}
          onChange={(next) => setSearch({ key: next })}
        />
      </div>
      <Shown answer={rows} what="Your requests" rows={8}>
        {(calls) =>
          calls.length === 0 ? (
            <p className="border-t border-line py-4 text-ink-2">
              {isFiltered ? (
                <>
                  No requests match these filters.{' '}
                  <Go to="/activity" className="brand-text underline">
                    Show all requests
                  </Go>
                </>
              ) : (
                <>
                  No requests yet. Each request appears here with its price.{' '}
                  <Go to="/keys?act=new" className="brand-text underline">
                    Create a key
                  </Go>{' '}
                  to send your first request.
                </>
              )}
            </p>
          ) : (
            <>
              <List label="Requests">
                {calls.map((call) => (
                  <CallRow key={call.id} call={call} />
                ))}
              </List>
              <MoreRows rows={rows} what="requests" />
            </>
          )
        }
      </Shown>
    </>
  )
}
