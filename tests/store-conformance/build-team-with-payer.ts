import type { ReserveRequest } from '#domain/ledger-interface.ts'
import type { Caller, World } from './add-rows-that-calls-need.ts'

export interface Member extends Caller {
  readonly payerId: string | undefined
}

export async function join(
  world: World,
  payer: Pick<Caller, 'endUserId'> | null,
  caller: Caller,
  capMicros: bigint | null = null,
): Promise<Member> {
  await world.store.database.transaction((tx) =>
    tx
      .updateTable('end_users')
      .set({ payer_id: payer?.endUserId ?? null, payer_cap_micros: capMicros })
      .where('id', '=', caller.endUserId)
      .execute(),
  )
  return { ...caller, payerId: payer?.endUserId }
}

export function requestOf(
  world: World,
  member: Member,
  tokens: { input: number; output: number },
  more: Partial<ReserveRequest> = {},
): ReserveRequest {
  const { payerId } = member
  return world.request(member, tokens, { ...(payerId !== undefined && { payerId }), ...more })
}

export async function moveTo(
  world: World,
  { endUserId }: Pick<Caller, 'endUserId'>,
  bundleId: string | null,
): Promise<void> {
  await world.store.database.transaction((tx) =>
    tx
      .updateTable('end_users')
      .set({ bundle_id: bundleId, bundle_since_ms: world.clock.nowMs })
      .where('id', '=', endUserId)
      .execute(),
  )
}
