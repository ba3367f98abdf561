import { describeStorage } from '../sim/storage/storage.contract.ts';
import { RevisionError, type Revision } from '../sim/storage/storage.ts';
import { StorageModel } from './storage-model.ts';

describeStorage(
  'the reference model',
  () =>
    new StorageModel<string, Revision>((kind, revision, limit) => new RevisionError(kind, revision, limit)),
);
