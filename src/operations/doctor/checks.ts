import type { Check } from './finding.ts'
import { failingAccounts } from './checks/account-health.ts'
import { accountsAndKeys } from './checks/accounts-and-keys.ts'
import { answeringModels } from './checks/answering-models.ts'
import { clock } from './checks/clock.ts'
import { costs } from './checks/costs.ts'
import { credentials } from './checks/credentials.ts'
import { debitBasis } from './checks/debit-basis.ts'
import { disk } from './checks/disk.ts'
import { emitters } from './checks/emitters.ts'
import { holds } from './checks/holds.ts'
import { inputBounds } from './checks/input-bounds.ts'
import { ledger } from './checks/ledger.ts'
import { namesAndBundles } from './checks/names-and-bundles.ts'
import { nodes } from './checks/nodes.ts'
import { people } from './checks/end-users.ts'
import { prices } from './checks/prices.ts'
import { routers } from './checks/routers.ts'
import { tokens } from './checks/tokens.ts'

/** All checks of the doctor, in output order. To add a check, add a file in checks/ and a line here. */
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
