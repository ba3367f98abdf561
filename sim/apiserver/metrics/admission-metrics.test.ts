import { describe, expect, it } from 'vitest';
import { expositionOf } from '../../api/exposition.ts';
import { AdmissionMetrics } from './admission-metrics.ts';
import { ConversionMetrics } from './conversion-metrics.ts';

const linesOf = (metrics: AdmissionMetrics | ConversionMetrics): readonly string[] =>
  expositionOf(metrics.families()).split('\n');

describe('metrics of admission', () => {
  it('count every plugin up to the one that refuses', () => {
    const metrics = new AdmissionMetrics();
    metrics.stepTaken({
      operation: 'DELETE',
      step: 'validate',
      seconds: 0.01,
      isRejected: true,
      rejectedBy: 'ValidatingAdmissionPolicy',
      waits: [],
    });
    const counts = linesOf(metrics).filter((line) =>
      line.includes('controller_admission_duration_seconds_count'),
    );
    expect(counts).toEqual([
      'apiserver_admission_controller_admission_duration_seconds_count{name="Priority",operation="DELETE",rejected="false",type="validate"} 1',
      'apiserver_admission_controller_admission_duration_seconds_count{name="ValidatingAdmissionPolicy",operation="DELETE",rejected="true",type="validate"} 1',
    ]);
    expect(linesOf(metrics)).toContain(
      'apiserver_admission_step_admission_duration_seconds_summary{operation="DELETE",rejected="true",type="validate",quantile="0.99"} 0.01',
    );
  });

  it('tell refusals, failures and failures that are let pass apart', () => {
    const metrics = new AdmissionMetrics();
    const call = { name: 'guard', kind: 'mutating', operation: 'CREATE', seconds: 0 } as const;
    metrics.webhookCalled({ ...call, outcome: 'denied', code: 900 });
    metrics.webhookCalled({ ...call, outcome: 'failed', code: 503 });
    metrics.webhookCalled({ ...call, outcome: 'failed open', code: 400 });
    metrics.webhookCalled({ ...call, outcome: 'broken', code: 0 });
    const of = (name: string): readonly string[] =>
      linesOf(metrics).filter((line) => line.startsWith(`apiserver_admission_webhook_${name}{`));
    expect(of('rejection_count')).toEqual([
      'apiserver_admission_webhook_rejection_count{error_type="apiserver_internal_error",name="guard",operation="CREATE",rejection_code="0",type="admit"} 1',
      'apiserver_admission_webhook_rejection_count{error_type="calling_webhook_error",name="guard",operation="CREATE",rejection_code="503",type="admit"} 1',
      'apiserver_admission_webhook_rejection_count{error_type="no_error",name="guard",operation="CREATE",rejection_code="600",type="admit"} 1',
    ]);
    expect(of('fail_open_count')).toEqual([
      'apiserver_admission_webhook_fail_open_count{name="guard",type="admit"} 1',
    ]);
    expect(of('request_total')).toContain(
      'apiserver_admission_webhook_request_total{code="400",name="guard",operation="CREATE",rejected="false",type="admit"} 1',
    );
  });

  it('count conditions that leave a webhook out, and those that cannot be judged', () => {
    const metrics = new AdmissionMetrics();
    const evaluated = { name: 'guard', operation: 'CREATE', step: 'validating' } as const;
    metrics.conditionsEvaluated({ ...evaluated, kind: 'webhook', outcome: 'excluded' });
    metrics.conditionsEvaluated({ ...evaluated, kind: 'webhook', outcome: 'failed' });
    metrics.conditionsEvaluated({ ...evaluated, name: 'lax', kind: 'webhook', outcome: 'failed open' });
    const lines = linesOf(metrics);
    expect(lines).toContain(
      'apiserver_admission_match_condition_exclusions_total{kind="webhook",name="guard",operation="CREATE",type="validate"} 1',
    );
    expect(lines).toContain(
      'apiserver_admission_match_condition_evaluation_errors_total{kind="webhook",name="guard",operation="CREATE",type="validating"} 1',
    );
    expect(lines).toContain(
      'apiserver_admission_match_condition_exclusions_total{kind="webhook",name="lax",operation="CREATE",type="validate"} 1',
    );
  });

  it('have bounds as Go writes them', () => {
    const metrics = new AdmissionMetrics();
    metrics.policyChecked({ policy: 'p', binding: 'b', action: 'deny', message: 'no' });
    expect(linesOf(metrics)).toContain(
      'apiserver_validating_admission_policy_check_duration_seconds_bucket{enforcement_action="deny",error_type="invalid_error",policy="p",policy_binding="b",le="5e-07"} 1',
    );
  });
});

it('conversions that fail are counted apart', () => {
  const metrics = new ConversionMetrics();
  metrics.converted({ definition: 'foos.x', from: 'v1', to: 'v2', seconds: 3, isDone: false });
  expect(linesOf(metrics)).toContain(
    'apiserver_crd_conversion_webhook_duration_seconds_bucket{crd_name="foos.x",from_version="v1",succeeded="false",to_version="v2",le="4.096"} 1',
  );
});
