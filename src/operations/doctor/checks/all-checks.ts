import type { Check } from './finding-types.ts'
import { failingAccounts } from './failing-accounts.ts'
import { accountsAndKeys } from './setup-for-first-request.ts'
import { answeringModels } from './answers-by-other-models.ts'
import { clock } from './clock-difference.ts'
import { costs } from './disputed-and-excess-costs.ts'
import { credentials } from './rejected-credentials.ts'
import { debitBasis } from './debit-basis-not-chosen.ts'
import { disk } from './free-disk-space.ts'
import { emitters } from './failing-emitters.ts'
import { holds } from './holds-of-ended-requests.ts'
import { inputBounds } from './inputs-above-computed-maximum.ts'
import { ledger } from './balances-against-ledger-entries.ts'
import { namesAndBundles } from './model-names-without-bundle.ts'
import { nodes } from './unavailable-database-nodes.ts'
import { people } from './end-users-who-cannot-spend.ts'
import { prices } from './missing-and-outdated-prices.ts'
import { routers } from './routers-without-usable-target.ts'
import { tokens } from './tokens-above-role-of-creator.ts'

export const checks: readonly Check[] = [
  accountsAndKeys,
  prices,
  debitBasis,
  costs,
  answeringModels,
  inputBounds,
  namesAndBundles,
  routers,
  credentials,
  failingAccounts,
  people,
  tokens,
  emitters,
  holds,
  ledger,
  nodes,
  clock,
  disk,
]
