package kubesim

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

// ready is what the node says of itself.
func ready(t *testing.T, cluster *Cluster) string {
	t.Helper()
	answer, err := http.Get(cluster.URL + "/api/v1/nodes/worker-1")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var node struct {
		Status struct {
			Conditions []struct{ Type, Status string }
		}
	}
	if err := json.NewDecoder(answer.Body).Decode(&node); err != nil {
		t.Fatal(err)
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == "Ready" {
			return condition.Status
		}
	}
	return ""
}

func TestANodeThatIsCutOff(t *testing.T) {
	cluster := Start(t)
	clock := cluster.Clock()
	begun := clock.Now()
	cluster.Advance(30 * time.Second)
	if got := ready(t, cluster); got != "True" {
		t.Fatalf("Ready is %q", got)
	}
	cluster.Faults(map[string]any{"partitioned": []string{"worker-1"}})
	cluster.Advance(time.Minute)
	if got := ready(t, cluster); got != "Unknown" {
		t.Fatalf("Ready is %q", got)
	}
	cluster.Faults(map[string]any{})
	cluster.Advance(30 * time.Second)
	if got := ready(t, cluster); got != "True" {
		t.Fatalf("Ready is %q", got)
	}
	if got := clock.Since(begun); got != 2*time.Minute {
		t.Fatalf("%v went by", got)
	}
}
