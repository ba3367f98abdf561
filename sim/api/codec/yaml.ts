import {parse} from 'yaml';
export const yamlToJson=(t:string):{value:unknown,duplicates:string[]}=>({value:parse(t),duplicates:[]});
