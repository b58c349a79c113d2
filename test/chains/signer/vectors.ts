// Published keystores of version 3 with their passwords and keys: those of the Web3 Secret Storage definition, and one of
// go-ethereum (accounts/keystore/testdata/v3_test_vector.json) whose key lost its leading zero.

type Vector = { readonly keystore: object; readonly password: string; readonly privateKey: string };

const KEY = '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d';

export const SCRYPT_VECTOR: Vector = {
  keystore: {
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
      ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
      kdf: 'scrypt',
      kdfparams: {
        dklen: 32,
        n: 262144,
        r: 1,
        p: 8,
        salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
      },
      mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
    },
    id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
    version: 3,
  },
  password: 'testpassword',
  privateKey: KEY,
};

export const PBKDF2_VECTOR: Vector = {
  keystore: {
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
      ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
      kdf: 'pbkdf2',
      kdfparams: {
        c: 262144,
        dklen: 32,
        prf: 'hmac-sha256',
        salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
      },
      mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
    },
    id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
    version: 3,
  },
  password: 'testpassword',
  privateKey: KEY,
};

export const SHORT_KEY_VECTOR: Vector = {
  keystore: {
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: 'e0c41130a323adc1446fc82f724bca2f' },
      ciphertext: '9517cd5bdbe69076f9bf5057248c6c050141e970efa36ce53692d5d59a3984',
      kdf: 'scrypt',
      kdfparams: {
        dklen: 32,
        n: 2,
        r: 8,
        p: 1,
        salt: '711f816911c92d649fb4c84b047915679933555030b3552c1212609b38208c63',
      },
      mac: 'd5e116151c6aa71470e67a7d42c9620c75c4d23229847dcc127794f0732b0db5',
    },
    id: 'fecfc4ce-e956-48fd-953b-30f8b52ed66c',
    version: 3,
  },
  password: 'foo',
  privateKey: '00fa7b3db73dc7dfdf8c5fbdb796d741e4488628c41fc4febd9160a866ba0f35',
};

/** The addresses of the key of the first two. */
export const VECTOR_ADDRESS = '0x008AeEda4D805471dF9b2A5B0f38A0C3bCBA786b';
