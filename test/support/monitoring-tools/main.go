// Evaluates alerting rules and queries with the PromQL engine of Prometheus, and health checks with the Lua interpreter that
// Argo CD uses. It reads a request in JSON from standard input and writes the response in JSON to standard output.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/template"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
	lua "github.com/yuin/gopher-lua"
)

// The interval of scrapes and of evaluations.
const step = 30 * time.Second

type request struct {
	// Rule files of Prometheus, as text.
	Rules      []string    `json:"rules"`
	Recordings []recording `json:"recordings"`
	Queries    []string    `json:"queries"`
	// Seconds for which the state of the last scrape is assumed to last.
	Extend int `json:"extend"`
	// A health check of Argo CD, and the objects to check.
	Lua     string            `json:"lua"`
	Objects []json.RawMessage `json:"objects"`
}

type recording struct {
	Name    string   `json:"name"`
	Scrapes []scrape `json:"scrapes"`
}

type scrape struct {
	// Seconds since the epoch.
	Time   float64           `json:"time"`
	Labels map[string]string `json:"labels"`
	// The response; absent if there was none.
	Text *string `json:"text"`
}

type response struct {
	Alerts  []alertResult  `json:"alerts,omitempty"`
	Queries []queryResult  `json:"queries,omitempty"`
	Health  []healthResult `json:"health,omitempty"`
}

type alertResult struct {
	Recording   string            `json:"recording"`
	Alert       string            `json:"alert"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	// Seconds from the last scrape until it fires.
	After float64 `json:"after"`
}

type queryResult struct {
	Recording string         `json:"recording"`
	Query     string         `json:"query"`
	Series    []seriesResult `json:"series"`
}

type seriesResult struct {
	Labels map[string]string `json:"labels"`
	// Pairs of seconds since the last scrape and values that are numbers.
	Points [][2]float64 `json:"points"`
}

type healthResult struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

func main() {
	var in request
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		fail(err)
	}
	out, err := respond(in)
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func respond(in request) (response, error) {
	var out response
	rules, err := alertingRules(in.Rules)
	if err != nil {
		return out, err
	}
	engine := promql.NewEngine(promql.EngineOpts{
		MaxSamples: 50_000_000, Timeout: time.Minute, LookbackDelta: 5 * time.Minute,
		EnableAtModifier: true, EnableNegativeOffset: true,
	})
	for _, recorded := range in.Recordings {
		data, err := newData(recorded, time.Duration(in.Extend)*time.Second)
		if err != nil {
			return out, fmt.Errorf("recording %s: %w", recorded.Name, err)
		}
		for _, rule := range rules {
			found, err := evaluateRule(engine, data, recorded.Name, rule)
			if err != nil {
				return out, fmt.Errorf("recording %s: alert %s: %w", recorded.Name, rule.Alert, err)
			}
			out.Alerts = append(out.Alerts, found...)
		}
		for _, query := range in.Queries {
			found, err := evaluateQuery(engine, data, query)
			if err != nil {
				return out, fmt.Errorf("recording %s: %s: %w", recorded.Name, query, err)
			}
			out.Queries = append(out.Queries, queryResult{recorded.Name, query, found})
		}
	}
	for _, object := range in.Objects {
		health, err := checkHealth(in.Lua, object)
		if err != nil {
			return out, err
		}
		out.Health = append(out.Health, health)
	}
	return out, nil
}

// alertingRules parses rule files as Prometheus does, which checks expressions and templates.
func alertingRules(files []string) ([]rulefmt.Rule, error) {
	var rules []rulefmt.Rule
	for _, file := range files {
		groups, errs := rulefmt.Parse([]byte(file), false)
		if len(errs) > 0 {
			return nil, fmt.Errorf("invalid rules: %v", errs)
		}
		for _, group := range groups.Groups {
			rules = append(rules, group.Rules...)
		}
	}
	return rules, nil
}

// evaluateRule returns the alerts that fire once their expression has been true for as long as the rule says.
func evaluateRule(engine *promql.Engine, data *data, name string, rule rulefmt.Rule) ([]alertResult, error) {
	matrix, err := queryRange(engine, data, rule.Expr)
	if err != nil {
		return nil, err
	}
	var out []alertResult
	for _, series := range matrix {
		since, last := int64(math.MinInt64), int64(math.MinInt64)
		for _, point := range series.Floats {
			if last == math.MinInt64 || point.T-last > step.Milliseconds() {
				since = point.T
			}
			last = point.T
			if point.T-since < time.Duration(rule.For).Milliseconds() {
				continue
			}
			result := alertResult{Recording: name, Alert: rule.Alert, After: float64(point.T-data.lastScrape) / 1000}
			sample := promql.Sample{Metric: series.Metric, F: point.F}
			result.Labels, err = expand(rule.Labels, rule.Alert, sample)
			if err != nil {
				return nil, err
			}
			series.Metric.Range(func(label labels.Label) { result.Labels[label.Name] = label.Value })
			result.Annotations, err = expand(rule.Annotations, rule.Alert, sample)
			if err != nil {
				return nil, err
			}
			out = append(out, result)
			break
		}
	}
	return out, nil
}

// expand expands the templates of labels or annotations as Prometheus does.
func expand(templates map[string]string, name string, sample promql.Sample) (map[string]string, error) {
	const definitions = "{{$labels := .Labels}}{{$externalLabels := .ExternalLabels}}{{$externalURL := .ExternalURL}}{{$value := .Value}}"
	out := map[string]string{}
	data := template.AlertTemplateData(sample.Metric.Map(), nil, "", sample)
	for key, text := range templates {
		expander := template.NewTemplateExpander(context.Background(), definitions+text, name, data, model.Now(), nil, &url.URL{}, []string{"missingkey=error"})
		expanded, err := expander.Expand()
		if err != nil {
			return nil, err
		}
		out[key] = expanded
	}
	return out, nil
}

func evaluateQuery(engine *promql.Engine, data *data, query string) ([]seriesResult, error) {
	matrix, err := queryRange(engine, data, query)
	if err != nil {
		return nil, err
	}
	out := []seriesResult{}
	for _, series := range matrix {
		result := seriesResult{Labels: series.Metric.Map()}
		for _, point := range series.Floats {
			if !math.IsNaN(point.F) && !math.IsInf(point.F, 0) {
				result.Points = append(result.Points, [2]float64{float64(point.T-data.lastScrape) / 1000, point.F})
			}
		}
		if len(result.Points) > 0 {
			out = append(out, result)
		}
	}
	return out, nil
}

func queryRange(engine *promql.Engine, data *data, expr string) (promql.Matrix, error) {
	start, end := time.UnixMilli(data.lastScrape), time.UnixMilli(data.end)
	query, err := engine.NewRangeQuery(context.Background(), data, nil, expr, start, end, step)
	if err != nil {
		return nil, err
	}
	defer query.Close()
	result := query.Exec(context.Background())
	if result.Err != nil {
		return nil, result.Err
	}
	if result.Value.Type() != parser.ValueTypeMatrix {
		return nil, fmt.Errorf("not a matrix: %s", result.Value.Type())
	}
	// The engine reuses the memory of the result.
	var out promql.Matrix
	for _, series := range result.Value.(promql.Matrix) {
		out = append(out, promql.Series{Metric: series.Metric.Copy(), Floats: append([]promql.FPoint{}, series.Floats...)})
	}
	return out, nil
}

// data is a recording as a storage. After the last scrape, the state lasts: counters grow as between the last two scrapes, an
// age that grew with the time between them goes on, and every other gauge keeps its value.
type data struct {
	series     []*recordedSeries
	lastScrape int64
	end        int64
}

type recordedSeries struct {
	labels  labels.Labels
	isCount bool
	points  []point
}

type point struct {
	t int64
	v float64
}

func newData(recorded recording, extend time.Duration) (*data, error) {
	out := &data{}
	byLabels := map[string]*recordedSeries{}
	// The time of the last scrape of each target.
	lastOf := map[string]int64{}
	for _, scraped := range recorded.Scrapes {
		at := int64(scraped.Time * 1000)
		target := labels.FromMap(scraped.Labels).String()
		lastOf[target] = at
		out.lastScrape = max(out.lastScrape, at)
		up := 0.0
		if scraped.Text != nil {
			up = 1
			if err := parseScrape(byLabels, scraped, at); err != nil {
				return nil, err
			}
		}
		add(byLabels, labels.NewBuilder(labels.FromMap(scraped.Labels)).Set("__name__", "up").Labels(), false, point{at, up})
	}
	out.end = out.lastScrape + extend.Milliseconds()
	for _, series := range byLabels {
		builder := labels.NewBuilder(labels.EmptyLabels())
		for _, name := range []string{"cluster", "job", "namespace", "pod", "instance"} {
			builder.Set(name, series.labels.Get(name))
		}
		last := series.points[len(series.points)-1]
		// What the last scrape of its target did not have has ended.
		if last.t == lastOf[builder.Labels().String()] {
			series.extend(out.end)
		}
		out.series = append(out.series, series)
	}
	return out, nil
}

func parseScrape(byLabels map[string]*recordedSeries, scraped scrape, at int64) error {
	text := textparse.NewPromParser([]byte(*scraped.Text), labels.NewSymbolTable(), false)
	counts := map[string]bool{}
	for {
		entry, err := text.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch entry {
		case textparse.EntryType:
			name, kind := text.Type()
			counts[string(name)] = kind == model.MetricTypeCounter || kind == model.MetricTypeHistogram || kind == model.MetricTypeSummary
		case textparse.EntrySeries:
			var parsed labels.Labels
			text.Labels(&parsed)
			builder := labels.NewBuilder(parsed)
			for name, value := range scraped.Labels {
				builder.Set(name, value)
			}
			_, _, value := text.Series()
			name := parsed.Get("__name__")
			family := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_sum"), "_count")
			add(byLabels, builder.Labels(), counts[name] || counts[family], point{at, value})
		}
	}
}

func add(byLabels map[string]*recordedSeries, series labels.Labels, isCount bool, at point) {
	key := series.String()
	if byLabels[key] == nil {
		byLabels[key] = &recordedSeries{labels: series, isCount: isCount}
	}
	byLabels[key].points = append(byLabels[key].points, at)
}

func (s *recordedSeries) extend(end int64) {
	last := s.points[len(s.points)-1]
	slope := 0.0
	if count := len(s.points); s.isCount && count > 1 {
		before := s.points[count-2]
		slope = max(0, last.v-before.v) / float64(last.t-before.t)
	}
	if count := len(s.points); strings.HasSuffix(s.labels.Get("__name__"), "_age_seconds") && count > 1 {
		before := s.points[count-2]
		// An age that was reset between the two scrapes is reset again and again.
		if last.v-before.v > 0.9*float64(last.t-before.t)/1000 {
			slope = 0.001
		}
	}
	for t := last.t + step.Milliseconds(); t <= end; t += step.Milliseconds() {
		s.points = append(s.points, point{t, last.v + slope*float64(t-last.t)})
	}
}

func (d *data) Querier(mint, maxt int64) (storage.Querier, error) { return querier{d, mint, maxt}, nil }

// sample is a point as the engine reads it.
type sample struct{ point }

func (s sample) T() int64                      { return s.t }
func (s sample) F() float64                    { return s.v }
func (s sample) H() *histogram.Histogram       { return nil }
func (s sample) FH() *histogram.FloatHistogram { return nil }
func (s sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample           { return s }

type querier struct {
	data       *data
	mint, maxt int64
}

func (q querier) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	set := &seriesSet{}
	for _, series := range q.data.series {
		if !matches(series.labels, matchers) {
			continue
		}
		var samples []chunks.Sample
		for _, p := range series.points {
			if p.t >= q.mint && p.t <= q.maxt {
				samples = append(samples, sample{p})
			}
		}
		if len(samples) > 0 {
			set.series = append(set.series, storage.NewListSeries(series.labels, samples))
		}
	}
	return set
}

func matches(series labels.Labels, matchers []*labels.Matcher) bool {
	for _, matcher := range matchers {
		if !matcher.Matches(series.Get(matcher.Name)) {
			return false
		}
	}
	return true
}

func (q querier) LabelValues(context.Context, string, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (q querier) LabelNames(context.Context, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (q querier) Close() error { return nil }

type seriesSet struct {
	series []storage.Series
	next   int
}

func (s *seriesSet) Next() bool                        { s.next++; return s.next <= len(s.series) }
func (s *seriesSet) At() storage.Series                { return s.series[s.next-1] }
func (s *seriesSet) Err() error                        { return nil }
func (s *seriesSet) Warnings() annotations.Annotations { return nil }

// checkHealth runs a health check as Argo CD does: the object is the global `obj`, and the script returns the health.
func checkHealth(script string, object json.RawMessage) (healthResult, error) {
	var value any
	if err := json.Unmarshal(object, &value); err != nil {
		return healthResult{}, err
	}
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	// The libraries that Argo CD opens.
	for _, library := range []struct {
		name string
		open lua.LGFunction
	}{{lua.LoadLibName, lua.OpenPackage}, {lua.BaseLibName, lua.OpenBase}, {lua.TabLibName, lua.OpenTable}, {lua.StringLibName, lua.OpenString}, {lua.MathLibName, lua.OpenMath}} {
		if err := state.CallByParam(lua.P{Fn: state.NewFunction(library.open), NRet: 0, Protect: true}, lua.LString(library.name)); err != nil {
			return healthResult{}, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	state.SetContext(ctx)
	state.SetGlobal("obj", toLua(state, value))
	if err := state.DoString(script); err != nil {
		return healthResult{}, err
	}
	table, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return healthResult{}, fmt.Errorf("the script returned %s, not a table", state.Get(-1).Type())
	}
	return healthResult{table.RawGetString("status").String(), table.RawGetString("message").String()}, nil
}

func toLua(state *lua.LState, value any) lua.LValue {
	switch typed := value.(type) {
	case bool:
		return lua.LBool(typed)
	case float64:
		return lua.LNumber(typed)
	case string:
		return lua.LString(typed)
	case []any:
		table := state.CreateTable(len(typed), 0)
		for _, item := range typed {
			table.Append(toLua(state, item))
		}
		return table
	case map[string]any:
		table := state.CreateTable(0, len(typed))
		for key, item := range typed {
			table.RawSetH(lua.LString(key), toLua(state, item))
		}
		return table
	}
	return lua.LNil
}
