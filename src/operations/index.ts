/** The table of operations, in the order of the documentation. */
import appsCreate from './apps/create.ts'
import appsCurrent from './apps/current.ts'
import appsList from './apps/list.ts'
import appsShow from './apps/show.ts'
import appsUse from './apps/use.ts'
import authToken from './auth/token.ts'
import authWhoami from './auth/whoami.ts'
import bundlesAllow from './bundles/allow.ts'
import bundlesCreate from './bundles/create.ts'
import bundlesDefault from './bundles/default.ts'
import bundlesDeny from './bundles/deny.ts'
import bundlesEdit from './bundles/edit.ts'
import bundlesInclude from './bundles/include.ts'
import bundlesList from './bundles/list.ts'
import bundlesPrice from './bundles/price.ts'
import bundlesShow from './bundles/show.ts'
import catalogModels from './catalog/models.ts'
import catalogProviders from './catalog/providers.ts'
import catalogShow from './catalog/show.ts'
import grantsIssue from './grants/issue.ts'
import grantsList from './grants/list.ts'
import health from './health/health.ts'
import keysCap from './keys/cap.ts'
import keysList from './keys/list.ts'
import keysMint from './keys/mint.ts'
import keysRevoke from './keys/revoke.ts'
import keysShow from './keys/show.ts'
import modelsAdd from './models/add.ts'
import modelsDisable from './models/disable.ts'
import modelsEnable from './models/enable.ts'
import modelsList from './models/list.ts'
import modelsRm from './models/rm.ts'
import modelsShow from './models/show.ts'
import type { Operation } from './operation.ts'
import outcomesAdd from './outcomes/add.ts'
import outcomesFinish from './outcomes/finish.ts'
import outcomesList from './outcomes/list.ts'
import outcomesRuns from './outcomes/runs.ts'
import outcomesShow from './outcomes/show.ts'
import providersConnect from './providers/connect.ts'
import providersList from './providers/list.ts'
import providersModels from './providers/models.ts'
import providersPrice from './providers/price.ts'
import providersRm from './providers/rm.ts'
import providersShow from './providers/show.ts'
import requestsExplain from './requests/explain.ts'
import requestsList from './requests/list.ts'
import subscriptionOnDemand from './subscription/on-demand.ts'
import subscriptionShow from './subscription/show.ts'
import tokensCreate from './tokens/create.ts'
import tokensList from './tokens/list.ts'
import tokensRevoke from './tokens/revoke.ts'
import usage from './usage/usage.ts'
import usersCreate from './users/create.ts'
import usersFreeze from './users/freeze.ts'
import usersLedger from './users/ledger.ts'
import usersList from './users/list.ts'
import usersShow from './users/show.ts'
import usersSubscribe from './users/subscribe.ts'
import usersUnfreeze from './users/unfreeze.ts'

export const operations: readonly Operation[] = [
  authWhoami,
  authToken,
  tokensCreate,
  tokensList,
  tokensRevoke,
  appsCreate,
  appsList,
  appsShow,
  appsUse,
  appsCurrent,
  providersConnect,
  providersList,
  providersShow,
  providersModels,
  providersPrice,
  providersRm,
  catalogProviders,
  catalogModels,
  catalogShow,
  modelsAdd,
  modelsList,
  modelsShow,
  modelsEnable,
  modelsDisable,
  modelsRm,
  bundlesCreate,
  bundlesList,
  bundlesShow,
  bundlesEdit,
  bundlesAllow,
  bundlesDeny,
  bundlesDefault,
  bundlesPrice,
  bundlesInclude,
  usersCreate,
  usersList,
  usersShow,
  usersFreeze,
  usersUnfreeze,
  usersLedger,
  usersSubscribe,
  subscriptionShow,
  subscriptionOnDemand,
  keysMint,
  keysList,
  keysShow,
  keysCap,
  keysRevoke,
  grantsIssue,
  grantsList,
  usage,
  outcomesAdd,
  outcomesList,
  outcomesShow,
  outcomesRuns,
  outcomesFinish,
  requestsList,
  requestsExplain,
  health,
]
