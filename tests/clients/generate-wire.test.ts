import { testClientsOf } from './cases.ts'

testClientsOf('generate')
