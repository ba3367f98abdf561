/** Whom containers ask for names, and what all of the cluster's names end with. */
export const CLUSTER_DNS_ADDRESS = '10.96.0.10';
export const CLUSTER_DOMAIN = 'cluster.local';
