import { testClientsOf } from './conversation-cases-of-wire.ts'

testClientsOf('generate')
