// Command from-document makes a customer's first calls with the client that oapi-codegen generates from the served
// document: `go run . <base url> <set-up link>`. Package controlplane is the generated client
// (../../long/generated-client-go.test.ts).
package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	openapi_types "github.com/oapi-codegen/runtime/types"
	"tollgate.example/from-document/controlplane"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("done")
}

func run(ctx context.Context, baseURL, setupURL string) error {
	setup, err := url.Parse(setupURL)
	if err != nil {
		return err
	}
	client, err := controlplane.NewClientWithResponses(baseURL)
	if err != nil {
		return err
	}

	joined, err := client.InvitationsAcceptWithResponse(ctx, controlplane.InvitationsAcceptJSONRequestBody{
		Token:    setup.Fragment,
		Email:    pointer[openapi_types.Email]("ada@example.com"),
		Name:     "Ada Lovelace",
		Password: "correct horse battery staple",
	})
	if err != nil {
		return err
	}
	if joined.JSON200 == nil {
		return fmt.Errorf("invitations.accept: %s", joined.Body)
	}
	cookie, _, _ := strings.Cut(joined.HTTPResponse.Header.Get("Set-Cookie"), ";")
	created, err := client.TokensCreateWithResponse(ctx, nil,
		controlplane.TokensCreateJSONRequestBody{Label: "scenario"},
		headers("Cookie", cookie, "X-Csrf-Token", joined.JSON200.CsrfToken, "Origin", baseURL))
	if err != nil {
		return err
	}
	if created.JSON200 == nil {
		return fmt.Errorf("tokens.create: %s", created.Body)
	}
	own := headers("Authorization", "Bearer "+created.JSON200.Token, "X-Svc-App", "acme", "X-Svc-Mode", "test")

	application, err := client.AppsCreateWithResponse(ctx, "acme", nil,
		controlplane.AppsCreateJSONRequestBody{Name: pointer("Acme")}, own)
	if err != nil {
		return err
	}
	if application.JSON200 == nil {
		return fmt.Errorf("apps.create: %s", application.Body)
	}

	// The field `kind` selects the variant of the request body.
	var body controlplane.ProvidersConnectJSONBody
	if err := body.FromSimulatorAccount(controlplane.SimulatorAccount{Kind: "simulator"}); err != nil {
		return err
	}
	encoded, err := body.MarshalJSON()
	if err != nil {
		return err
	}
	// The generated type of the request body has no methods, so the client would send an empty object.
	account, err := client.ProvidersConnectWithBodyWithResponse(ctx, "main", nil, "application/json",
		bytes.NewReader(encoded), own)
	if err != nil {
		return err
	}
	if account.JSON200 == nil {
		return fmt.Errorf("providers.connect: %s", account.Body)
	}

	bundle, err := client.BundlesCreateWithResponse(ctx, "free", nil,
		controlplane.BundlesCreateJSONRequestBody{DisplayName: pointer("Free")}, own)
	if err != nil {
		return err
	}
	if bundle.JSON200 == nil {
		return fmt.Errorf("bundles.create: %s", bundle.Body)
	}
	endUser, err := client.UsersCreateWithResponse(ctx, "user/1", nil,
		controlplane.UsersCreateJSONRequestBody{}, own)
	if err != nil {
		return err
	}
	if endUser.JSON200 == nil {
		return fmt.Errorf("users.create: %s", endUser.Body)
	}
	shown, err := client.UsersShowWithResponse(ctx, "user/1", nil, own)
	if err != nil {
		return err
	}
	if shown.JSON200 == nil || shown.JSON200.Balance.BalanceUnits != "0" {
		return fmt.Errorf("users.show: %s", shown.Body)
	}

	missing, err := client.UsersShowWithResponse(ctx, "nobody", nil, own)
	if err != nil {
		return err
	}
	if missing.JSON404 == nil || missing.JSON404.Error.Code != "not_found" {
		return fmt.Errorf("users.show of an unknown end user: %s", missing.Body)
	}
	return nil
}

// headers returns a request editor that sets each header to the value that follows its name.
func headers(pairs ...string) controlplane.RequestEditorFn {
	return func(_ context.Context, request *http.Request) error {
		for i := 0; i < len(pairs); i += 2 {
			request.Header.Set(pairs[i], pairs[i+1])
		}
		return nil
	}
}

func pointer[T any](value T) *T { return &value }
